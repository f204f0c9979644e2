/**
 * The BFF's log: JSON, one line each, and every line bounded. The bound sits in the logger, so that no
 * line can forget it; DOWEL_LOG_LEVEL=debug shows the lines that it holds back, too.
 */
import {
  type DestinationStream,
  type Level,
  type Logger,
  levels,
  type LoggerOptions as PinoOptions,
  pino,
  stdSerializers,
} from 'pino';
import { createLineLimit, type LogLine, windowMs } from './line-limit.ts';

export interface BoundedLog {
  logger: Logger;
  /** Writes what was suppressed until now; the log does it by itself once a minute. */
  reportSuppressed(): void;
}

export interface LoggerOptions {
  level: string;
  /** Where the lines go; default standard output. */
  destination?: DestinationStream;
  /** Epoch milliseconds. */
  now?: () => number;
}

const { debug } = levels.values as Record<Level, number>;
/** What tells lines of one name apart. Their values come from closed lists. */
const kindFields = ['event', 'reason', 'code', 'method', 'route', 'status'];

/** Lines at `debug` and `trace` are not bounded: somebody asked for them, for a while. */
export function createLogger({ level, destination, now = Date.now }: LoggerOptions): BoundedLog {
  const limit = createLineLimit(now);
  const options: PinoOptions<never> = {
    level,
    base: { app: 'bff' },
    serializers: { err: describeError },
    hooks: {
      logMethod(args, method, lineLevel) {
        if (lineLevel <= debug || limit.admit(readLine(args, lineLevel))) method.apply(this, args);
        else this.debug(...args);
      },
    },
  };
  const logger = destination ? pino(options, destination) : pino(options);

  function reportSuppressed(everything: boolean): void {
    for (const { name, level: lineLevel, kind, suppressed } of limit.takeSuppressed(everything)) {
      const method = levels.labels[lineLevel] as Level;
      logger[method]({ ...kind, suppressed }, `${name}.more`);
    }
  }

  setInterval(() => reportSuppressed(false), windowMs).unref();
  return { logger, reportSuppressed: () => reportSuppressed(true) };
}

function readLine(args: readonly unknown[], level: number): LogLine {
  const [first, second] = args;
  if (typeof first === 'string') return { name: first, level, kind: {} };
  const fields = (first ?? {}) as Record<string, unknown>;
  const { code } = (fields.err ?? {}) as { code?: unknown };
  const kind: LogLine['kind'] = {};
  for (const field of kindFields) {
    const value = fields[field] ?? (field === 'code' ? code : undefined);
    if (typeof value === 'string' || typeof value === 'number') kind[field] = value;
  }
  return { name: String(second), level, kind };
}

/**
 * A failure that has a code is a known one: its type, code and message say all. Anything else is a
 * surprise, as are Node's own complaints about a call: they keep their stack.
 */
function describeError(error: Error & { code?: unknown }): object {
  const described = stdSerializers.err(error);
  const { code } = error;
  const isSurprise = typeof code !== 'string' || code.startsWith('ERR_');
  return isSurprise ? described : { type: described.type, code, message: described.message };
}
