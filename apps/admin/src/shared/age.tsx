import { useFormats } from '../i18n/formats.ts';
import { useTicking } from './ticker.tsx';

/** How long something has lasted, by the server's clock; its begin on hover. */
export function Age({ since }: { since: number }) {
  const formats = useFormats();
  const text = useTicking((now) => formats.age(now - since));
  return (
    <time dateTime={new Date(since).toISOString()} title={formats.exact(since)} className="numeric">
      {text}
    </time>
  );
}
