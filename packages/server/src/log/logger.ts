/**
 * The log of a server: one JSON object per line. The logger itself limits repeated lines.
 * DOWEL_LOG_LEVEL=debug shows the suppressed lines, too.
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
  /** Writes the counts of suppressed lines for the last time. Until then they are written once a minute. */
  endReports(): void;
}

export interface LoggerOptions {
  level: string;
  /** Default: standard output. */
  destination?: DestinationStream;
  /** Milliseconds, by a clock that is never set back. */
  now?: () => number;
}

const { debug } = levels.values as Record<Level, number>;
/** Fields that distinguish lines of one name. Their values come from closed lists. */
const kindFields = ['event', 'reason', 'code', 'method', 'route', 'operation', 'status'];
/** A longer text comes from no closed list, and is not kept. */
const longestKind = 200;

/** Lines at `debug` and `trace` are not limited: an operator enabled them for a while. */
export function createLogger({
  level,
  destination,
  now = () => performance.now(),
}: LoggerOptions): BoundedLog {
  const limit = createLineLimit(now);
  const options: PinoOptions<never> = {
    level,
    base: { app: 'dowel' },
    serializers: { err: describeError },
    hooks: {
      logMethod(args, method, lineLevel) {
        if (lineLevel <= debug || limit.admit(readLine(args, lineLevel))) method.apply(this, args);
        else this.debug(...args);
      },
    },
  };
  const logger = pino(options, destination ?? openStandardOutput());

  function reportSuppressed(everything: boolean): void {
    for (const { name, level: lineLevel, kind, suppressed } of limit.takeSuppressed(everything)) {
      const method = levels.labels[lineLevel] as Level;
      logger[method]({ ...kind, suppressed }, `${name}.more`);
    }
  }

  const timer = setInterval(() => reportSuppressed(false), windowMs).unref();
  return {
    logger,
    endReports() {
      clearInterval(timer);
      reportSuppressed(true);
    },
  };
}

/**
 * If standard output accepts no data because its disk is full or its reader has gone, the line is lost and the next
 * one is tried. pino's own destination would wait for the disk and then end the process.
 */
function openStandardOutput(): DestinationStream {
  const { stdout } = process;
  if (!stdout.listeners('error').includes(loseLine)) stdout.on('error', loseLine);
  return { write: (line) => void stdout.write(line) };
}

function loseLine(): void {}

export function readLine(args: readonly unknown[], level: number): LogLine {
  const [first, second] = args;
  if (typeof first === 'string') return { name: first, level, kind: {} };
  const fields = (first ?? {}) as Record<string, unknown>;
  const code = codeOf(fields.err);
  const kind: LogLine['kind'] = {};
  for (const field of kindFields) {
    const value = fields[field] ?? (field === 'code' ? code : undefined);
    const isShort = typeof value === 'string' && value.length <= longestKind;
    if (isShort || typeof value === 'number') kind[field] = value;
  }
  return { name: String(second), level, kind };
}

/** A getter of somebody's error may throw. */
function codeOf(error: unknown): unknown {
  try {
    return (error as { code?: unknown } | undefined)?.code;
  } catch {
    return undefined;
  }
}

/**
 * An error with a code is known: its type, code and message are enough. Other errors, and Node's errors
 * about wrong calls, are unexpected and keep their stack.
 */
function describeError(error: Error & { code?: unknown }): object {
  try {
    return describeReadable(error);
  } catch {
    return { type: 'Error', message: 'An error whose members cannot be read' };
  }
}

function describeReadable(error: Error & { code?: unknown }): object {
  const described = stdSerializers.err(error);
  const { code } = error;
  const isSurprise = typeof code !== 'string' || code.startsWith('ERR_');
  return isSurprise
    ? described
    : { type: described.type, code, message: describeOnce(error, described.message) };
}

/** pino adds the cause's message, which many of our messages already contain. */
function describeOnce({ message, cause }: Error, withCause: string): string {
  return cause instanceof Error && message.includes(cause.message) ? message : withCause;
}
