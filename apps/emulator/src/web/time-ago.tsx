import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocale } from './use-locale.ts';

/** A point in time (epoch milliseconds), such as "2 minutes ago"; the exact time is a tooltip. */
export function TimeAgo({ at }: { at: number }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const now = useNow(5_000);
  const exact = new Date(at);
  return (
    <time dateTime={exact.toISOString()} title={exact.toLocaleString(locale)} className="time-ago">
      {now - at < 10_000 ? t('shell.justNow') : formatDistance(locale, at, now)}
    </time>
  );
}

/** The time from now to `at`, in words: `4 sec. ago`, `in 56 sec.`; a date if it is more than a day. */
export function formatDistance(locale: string, at: number, now: number): string {
  const seconds = Math.trunc((at - now) / 1_000);
  const format = new Intl.RelativeTimeFormat(locale, { style: 'short' });
  const size = Math.abs(seconds);
  if (size < 60) return format.format(seconds, 'second');
  if (size < 3_600) return format.format(Math.trunc(seconds / 60), 'minute');
  if (size < 86_400) return format.format(Math.trunc(seconds / 3_600), 'hour');
  return new Date(at).toLocaleDateString(locale);
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
