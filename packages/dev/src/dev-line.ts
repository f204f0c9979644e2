/** One line that `dowel dev` says: to a terminal, to a program, or to a test. */
export interface DevLine {
  /** Epoch milliseconds. */
  at: number;
  from: 'dev' | 'platform' | 'event' | 'token' | 'server' | 'page' | 'manifest';
  level: 'info' | 'warn' | 'error';
  text: string;
  /** How long it took. */
  ms?: number;
}

/** Says a line of one source. */
export type Say = (
  from: DevLine['from'],
  text: string,
  more?: { level?: DevLine['level']; ms?: number },
) => void;

/** Returns a `Say` that dates each line and hands it on. */
export function sayTo(receive: (line: DevLine) => void): Say {
  return (from, text, { level = 'info', ms } = {}) =>
    receive({ at: Date.now(), from, level, text, ...(ms !== undefined && { ms }) });
}
