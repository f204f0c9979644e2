/** Durations and points in time in words. */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `38 s`, `59 min 56 s`, `2 h 04 min`, `3 d 4 h`. */
export function formatRemaining(durationMs: number): string {
  const ms = Math.max(0, Math.ceil(durationMs / second) * second);
  if (ms < minute) return `${ms / second} s`;
  if (ms < hour)
    return `${Math.floor(ms / minute)} min ${pad(Math.floor((ms % minute) / second))} s`;
  if (ms < day) return `${Math.floor(ms / hour)} h ${pad(Math.floor((ms % hour) / minute))} min`;
  return `${Math.floor(ms / day)} d ${Math.floor((ms % day) / hour)} h`;
}

/** `just now`, `38 s ago`, `12 min ago`, `3 h ago`, `5 d ago`. */
export function formatAgo(durationMs: number): string {
  if (durationMs < 5 * second) return 'just now';
  if (durationMs < minute) return `${Math.floor(durationMs / second)} s ago`;
  if (durationMs < hour) return `${Math.floor(durationMs / minute)} min ago`;
  if (durationMs < day) return `${Math.floor(durationMs / hour)} h ago`;
  return `${Math.floor(durationMs / day)} d ago`;
}

/** `84 ms`, `1.2 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < second) return `${Math.round(durationMs)} ms`;
  return `${(durationMs / second).toFixed(1)} s`;
}

const instant = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** In the reader's own time zone. */
export function formatInstant(at: number): string {
  return instant.format(at);
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
