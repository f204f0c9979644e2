import { useEffect, useState } from 'react';

/** A point in time (epoch milliseconds), such as "2 minutes ago"; the exact time is a tooltip. */
export function TimeAgo({ at }: { at: number }) {
  const now = useNow(5_000);
  const exact = new Date(at);
  return (
    <time dateTime={exact.toISOString()} title={exact.toLocaleString()} className="time-ago">
      {formatTimeAgo(at, now)}
    </time>
  );
}

function formatTimeAgo(at: number, now: number): string {
  const seconds = Math.floor((now - at) / 1_000);
  if (seconds < 10) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return new Date(at).toLocaleDateString();
}

/** The current time in epoch milliseconds, renewed every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
