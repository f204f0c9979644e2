import { useFormats } from '../i18n/formats.ts';
import { useTicking } from './ticker.tsx';

/** A duration until now, by the server's clock. Its start is shown on hover. */
export function Age({ since }: { since: number }) {
  const formats = useFormats();
  const text = useTicking((now) => formats.age(now - since));
  return (
    <time dateTime={new Date(since).toISOString()} title={formats.exact(since)} className="numeric">
      {text}
    </time>
  );
}
