/**
 * Limits the log lines of one kind: a stranger or an outage could fill the disk. A kind is a
 * line's name and its reason. Lines above the limit are counted, and the count is reported once a
 * minute.
 */

/** The parts of a log line that the limit uses. */
export interface LogLine {
  name: string;
  level: number;
  /** Distinguishes kinds with the same name. Values come from closed lists, such as a reason or a status. */
  kind: Record<string, string | number>;
}

interface SuppressedLines extends LogLine {
  suppressed: number;
}

interface Window {
  line: LogLine;
  startedAt: number;
  count: number;
  allowed: number;
}

export interface LineLimit {
  /** Whether this line may be written. Counts it. */
  admit(line: LogLine): boolean;
  /** Counts of suppressed lines in ended windows; with `everything`, in all windows. */
  takeSuppressed(everything?: boolean): SuppressedLines[];
}

export const windowMs = 60_000;
/** Then one per minute while the flood lasts. */
const linesPerWindow = 20;
/** Lines about completed work for verified senders. Their count restarts every minute. */
const workPerWindow = 600;
const workLines = [
  'request',
  'token.exchanged',
  'token.refreshed',
  'token.recovered',
  'plugin.seen',
];
/** Lines that our own timers cause, or that are limited where they are written. */
const oncePerWindow = ['connections.limited', 'healing.failed'];
/** Kinds per name. Further kinds share one limit, so they fill neither log nor memory. */
const maxKinds = 100;

/** Creates the limit of one log. `now` returns epoch milliseconds. */
export function createLineLimit(now: () => number): LineLimit {
  /** By name, then by kind. Names are constants of our code. */
  const names = new Map<string, Map<string, Window>>();
  const ended: SuppressedLines[] = [];

  function windowsOf(name: string): Map<string, Window> {
    const windows = names.get(name) ?? new Map<string, Window>();
    names.set(name, windows);
    return windows;
  }

  function end(windows: Map<string, Window>, key: string, window: Window): void {
    const { line, count, allowed } = window;
    if (count > allowed) ended.push({ ...line, suppressed: count - allowed });
    windows.delete(key);
  }

  function open(windows: Map<string, Window>, key: string, line: LogLine): Window {
    const before = windows.get(key);
    if (before && now() - before.startedAt < windowMs) return before;
    const allowed = before && isFlood(before) ? 1 : allowanceOf(line);
    if (before) end(windows, key, before);
    const window = { line, startedAt: now(), count: 0, allowed };
    windows.set(key, window);
    return window;
  }

  return {
    admit(line) {
      const windows = windowsOf(line.name);
      const key = JSON.stringify(line.kind);
      const isKnown = windows.has(key) || windows.size < maxKinds;
      const window = isKnown
        ? open(windows, key, line)
        : open(windows, 'the others', { ...line, kind: {} });
      window.count += 1;
      return window.count <= window.allowed;
    },

    takeSuppressed(everything = false) {
      for (const windows of names.values()) {
        for (const [key, window] of windows) {
          const ageMs = now() - window.startedAt;
          // Kept for one more window, so that a continuing flood is recognised.
          if (everything || ageMs >= 2 * windowMs) end(windows, key, window);
          else if (ageMs >= windowMs) report(window);
        }
      }
      return ended.splice(0);
    },
  };

  /** Reports a window that has ended. Its count stays, so that the next window recognises the flood. */
  function report(window: Window): void {
    const { line, count, allowed } = window;
    if (count <= allowed) return;
    ended.push({ ...line, suppressed: count - allowed });
    window.allowed = count;
  }
}

function allowanceOf({ name }: LogLine): number {
  if (workLines.includes(name)) return workPerWindow;
  return oncePerWindow.includes(name) ? 1 : linesPerWindow;
}

function isFlood({ line, count }: Window): boolean {
  return !workLines.includes(line.name) && count > linesPerWindow;
}
