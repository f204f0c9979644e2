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

/** By kind, as JSON. */
type Windows = Map<string, Window>;
/** By name. */
type Table = Map<string, Windows>;

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
/** Names per table. A plug-in may log texts that users choose, so further names share one limit. */
const maxNames = 1_000;
/** A longer text is not kept: it has the shared name. */
const longestName = 500;
const sharedName = 'other.lines';
/** The names of our own lines, such as `event.refused`. */
const ownShape = /^[a-z_]+(?:\.[a-z_]+)+$/;

interface LimitContext {
  /** Milliseconds, by a clock that is never set back. */
  now: () => number;
  /** Lines named like our own. They have their own table, so that other texts do not use up their places. */
  own: Table;
  others: Table;
  ended: SuppressedLines[];
}

/** Creates the limit of one log. */
export function createLineLimit(now: () => number): LineLimit {
  const context: LimitContext = { now, own: new Map(), others: new Map(), ended: [] };
  return {
    admit: (line) => admit(context, line),
    takeSuppressed: (everything = false) => takeSuppressed(context, everything),
  };
}

function admit(context: LimitContext, given: LogLine): boolean {
  const line = shareName(context, given);
  const windows = windowsOf(context, line.name);
  const key = JSON.stringify(line.kind);
  const isKnown = windows.has(key) || windows.size < maxKinds;
  const window = isKnown
    ? open(context, windows, { key, line })
    : open(context, windows, { key: 'the others', line: { ...line, kind: {} } });
  window.count += 1;
  // control I06
  return window.count <= window.allowed;
}

/** Returns the same line, or one with the shared name if there is no place for its own. */
function shareName(context: LimitContext, line: LogLine): LogLine {
  const { name, level } = line;
  const table = tableOf(context, name);
  const hasRoom = table.size < maxNames && name.length <= longestName;
  return hasRoom || table.has(name) ? line : { name: sharedName, level, kind: {} };
}

function tableOf({ own, others }: LimitContext, name: string): Table {
  return ownShape.test(name) ? own : others;
}

function windowsOf(context: LimitContext, name: string): Windows {
  const table = tableOf(context, name);
  const windows: Windows = table.get(name) ?? new Map();
  table.set(name, windows);
  return windows;
}

function open(
  context: LimitContext,
  windows: Windows,
  { key, line }: { key: string; line: LogLine },
): Window {
  const before = windows.get(key);
  const startedAt = context.now();
  if (before && startedAt - before.startedAt < windowMs) return before;
  const allowed = before && isFlood(before) ? 1 : allowanceOf(line);
  if (before) end(context, windows, key);
  const window = { line, startedAt, count: 0, allowed };
  windows.set(key, window);
  return window;
}

function takeSuppressed(context: LimitContext, everything: boolean): SuppressedLines[] {
  for (const table of [context.own, context.others]) {
    for (const [name, windows] of table) {
      for (const [key, window] of windows) {
        const ageMs = context.now() - window.startedAt;
        // Kept for one more window, so that a continuing flood is recognised.
        if (everything || ageMs >= 2 * windowMs) end(context, windows, key);
        else if (ageMs >= windowMs) report(context, window);
      }
      if (windows.size === 0) table.delete(name);
    }
  }
  return context.ended.splice(0);
}

function end(context: LimitContext, windows: Windows, key: string): void {
  const window = windows.get(key);
  if (window) report(context, window);
  windows.delete(key);
}

/** Reports a window that has ended. Its count stays, so that the next window recognises the flood. */
function report({ ended }: LimitContext, window: Window): void {
  const { line, count, allowed } = window;
  if (count <= allowed) return;
  ended.push({ ...line, suppressed: count - allowed });
  window.allowed = count;
}

function allowanceOf({ name }: LogLine): number {
  if (workLines.includes(name)) return workPerWindow;
  return oncePerWindow.includes(name) ? 1 : linesPerWindow;
}

function isFlood({ line, count }: Window): boolean {
  return !workLines.includes(line.name) && count > linesPerWindow;
}
