import type { Log, LogMethod } from './log.ts';

/** Returns the same log; its lines also contain these fields. As with pino, an error may stand in place of the fields. */
export function bindLog(log: Log, bound: object): Log {
  const bind =
    (level: keyof Log): LogMethod =>
    (...line: [object | string, string?]) => {
      const [first, message] = line;
      if (typeof first === 'string') log[level](bound, first);
      else if (first instanceof Error)
        log[level]({ ...bound, err: first }, message ?? first.message);
      else log[level]({ ...bound, ...first }, message ?? '');
    };
  return { debug: bind('debug'), info: bind('info'), warn: bind('warn'), error: bind('error') };
}
