import { formatAgo, formatInstant } from './format-time.ts';
import { useServerNow } from './ticker.tsx';

/** How long ago, by the server's clock; the exact time on hover. */
export function RelativeTime({ at }: { at: number }) {
  const now = useServerNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={formatInstant(at)} className="numeric">
      {formatAgo(now - at)}
    </time>
  );
}
