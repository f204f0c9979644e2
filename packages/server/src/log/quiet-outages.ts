/** One line for an outage of the database: what fails because of it is `debug`. */
import { StoreError } from '@dowel/installation-store';
import type { Log, LogMethod } from './log.ts';

/** Returns the same log. While the database is away, lines about its errors go to `debug`. */
export function quietOutages(log: Log, isAway: () => boolean): Log {
  const quiet =
    (level: 'warn' | 'error'): LogMethod =>
    (...line: [object | string, string?]) => {
      const [first, message] = line;
      if (typeof first === 'string') log[level](first);
      else log[isAway() && isOfOutage(first) ? 'debug' : level](first, message ?? '');
    };
  return { ...bindMethods(log), warn: quiet('warn'), error: quiet('error') };
}

/** A caller's log may use `this`. */
function bindMethods(log: Log): Log {
  const { debug, info, warn, error } = log;
  return {
    debug: debug.bind(log),
    info: info.bind(log),
    warn: warn.bind(log),
    error: error.bind(log),
  };
}

function isOfOutage(fields: object): boolean {
  const { err } = fields as { err?: unknown };
  const cause = err instanceof Error && !(err instanceof StoreError) ? err.cause : err;
  return cause instanceof StoreError && cause.lack === 'answers';
}
