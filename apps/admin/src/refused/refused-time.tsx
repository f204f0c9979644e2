import { useFormats } from '../i18n/formats.ts';

/** A time as the reader says it; the exact one is its title. */
export function RefusedTime({ at, now }: { at: number; now: number }) {
  const formats = useFormats();
  return (
    <time dateTime={new Date(at).toISOString()} title={formats.exact(at)}>
      {formats.recent(at, now)}
    </time>
  );
}
