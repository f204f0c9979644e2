/** The log of a server: the caller's, or JSON lines on standard output. Both limit repeated lines. */
import type { Level } from 'pino';
import { createLineLimit, windowMs } from './line-limit.ts';
import type { Log, LogMethod } from './log.ts';
import { createLogger, readLine } from './logger.ts';

export interface ServerLog {
  log: Log;
  /** Writes the counts of suppressed lines for the last time. Until then they are written once a minute. */
  endReports(): void;
}

export interface ServerLogOptions {
  log?: Log | undefined;
  environment?: Record<string, string | undefined> | undefined;
  /** Milliseconds, by a clock that is never set back. */
  now?: (() => number) | undefined;
}

const levels = { debug: 20, info: 30, warn: 40, error: 50 } as const;
const pinoLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

/** A level that does not exist is reported by `open`. */
export function createServerLog({
  log,
  environment = process.env,
  now = () => performance.now(),
}: ServerLogOptions): ServerLog {
  if (log) return boundLog(log, now);
  const { DOWEL_LOG_LEVEL: named = '' } = environment;
  const { logger, endReports } = createLogger({
    level: pinoLevels.includes(named) ? named : 'info',
  });
  return { log: logger, endReports };
}

/** Such as pino's and winston's. */
type LeveledLog = Log & { isLevelEnabled?(level: string): boolean };

/** Lines above the limit go to `debug`, if the log says that it is on. `console` would print every line. */
function boundLog(log: LeveledLog, now: () => number): ServerLog {
  const limit = createLineLimit(now);
  const bound =
    (level: keyof typeof levels): LogMethod =>
    (...line: [object | string, string?]) => {
      if (limit.admit(readLine(line, levels[level]))) write(log, level, line);
      else if (isDebugOn(log)) write(log, 'debug', line);
    };
  const reportSuppressed = (everything: boolean) => {
    for (const { name, level, kind, suppressed } of limit.takeSuppressed(everything)) {
      write(log, nameOf(level), [{ ...kind, suppressed }, `${name}.more`]);
    }
  };
  const timer = setInterval(() => reportSuppressed(false), windowMs).unref();
  return {
    log: {
      debug(...line: [object | string, string?]) {
        if (log !== console) write(log, 'debug', line);
      },
      info: bound('info'),
      warn: bound('warn'),
      error: bound('error'),
    },
    endReports() {
      clearInterval(timer);
      reportSuppressed(true);
    },
  };
}

function nameOf(level: number): keyof Log {
  const found = Object.entries(levels).find(([, value]) => value === level);
  return (found?.[0] ?? 'info') as keyof Log & Level;
}

function isDebugOn(log: LeveledLog): boolean {
  try {
    return log.isLevelEnabled?.('debug') === true;
  } catch {
    return false;
  }
}

/**
 * Calls the log as a method: it may use `this`. Errors thrown by the log are ignored, as those of an observer are: a
 * full disk must not end the process from a timer or fail an event.
 */
function write(log: Log, level: keyof Log, [first, message]: [object | string, string?]): void {
  const call = async () =>
    typeof first === 'string' ? log[level](first) : log[level](first, message ?? '');
  // The line is lost.
  call().catch(() => undefined);
}
