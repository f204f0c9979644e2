/** Numbers, points in time and durations as the chosen language writes them. */
import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

export type Formats = ReturnType<typeof createFormats>;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** English with a 24-hour clock and the day first. */
const localeOf = (language: string) => (language === 'en' ? 'en-GB' : language);

/** Functions that render with the language in use. */
export function useFormats(): Formats {
  const { t, i18n } = useTranslation();
  return useMemo(() => createFormats(t, i18n.language), [t, i18n.language]);
}

/** Times are in the reader's own zone. Points in time are epoch milliseconds. */
export function createFormats(t: TFunction, language: string) {
  const locale = localeOf(language);
  const { number, percent, signed, tenths, finePercent, ...times } = intlFormatsOf(locale);
  const { time, moment, exact, date, shortDate, hourMinute } = times;
  return {
    count: (value: number) => number.format(value),
    /** `99.6%` of 0.996; less than all never reads as 100 %. */
    percent: (share: number) => percent.format(share < 1 ? Math.min(share, 0.999) : share),
    /** `99.94%` of 0.9994; less than all never reads as 100 %. */
    finePercent: (share: number) => finePercent.format(share < 1 ? Math.min(share, 0.9999) : share),
    /** `+241`, `−38` */
    signed: (value: number) => signed.format(value).replace('-', '−'),
    /** `1,418`; `0.4` below ten. */
    rate: (value: number) => (value < 10 ? tenths.format(value) : number.format(Math.round(value))),
    /** `14:32:08` */
    time: (at: number) => time.format(at),
    /** `22 Nov 13:47` */
    moment: (at: number) => formatMoment(moment, at),
    /** `22 Nov 2026, 13:47:41 CET` */
    exact: (at: number) => exact.format(at),
    date: (at: number) => date.format(at),
    /** `22 Nov` */
    day: (at: number) => shortDate.format(at),
    /** `13:47` */
    clock: (at: number) => hourMinute.format(at),
    /** The time alone if it was today, else the day and the minute. */
    recent: (at: number, now: number) =>
      date.format(at) === date.format(now) ? time.format(at) : formatMoment(moment, at),
    age: (durationMs: number) => formatAge(t, durationMs),
    /** `84 ms`, `1.2 s` */
    duration: (durationMs: number) => formatDuration(locale, durationMs),
  };
}

type IntlFormats = ReturnType<typeof createIntlFormats>;

const intlFormats = new Map<string, IntlFormats>();

/** Created once for a locale, because each row of a list needs them. */
function intlFormatsOf(locale: string): IntlFormats {
  const known = intlFormats.get(locale) ?? createIntlFormats(locale);
  intlFormats.set(locale, known);
  return known;
}

function createIntlFormats(locale: string) {
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const signed = new Intl.NumberFormat(locale, { signDisplay: 'exceptZero' });
  const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const finePercent = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 2,
  });
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  const dayMonth = { day: 'numeric', month: 'short' } as const;
  const clock = { hour: '2-digit', minute: '2-digit' } as const;
  const moment = new Intl.DateTimeFormat(locale, { ...dayMonth, ...clock });
  const exact = new Intl.DateTimeFormat(locale, {
    ...dayMonth,
    ...clock,
    year: 'numeric',
    second: '2-digit',
    timeZoneName: 'short',
  });
  const date = new Intl.DateTimeFormat(locale, { ...dayMonth, year: 'numeric' });
  const shortDate = new Intl.DateTimeFormat(locale, dayMonth);
  const hourMinute = new Intl.DateTimeFormat(locale, clock);
  return {
    number,
    percent,
    signed,
    tenths,
    finePercent,
    time,
    moment,
    exact,
    date,
    shortDate,
    hourMinute,
  };
}

function formatMoment(format: Intl.DateTimeFormat, at: number): string {
  return format.format(at).replace(',', '');
}

/** `38 s`, `44 min`, `10 h 57 min`, `2 d 05 h`. */
function formatAge(t: TFunction, durationMs: number): string {
  const ms = Math.max(0, durationMs);
  if (ms < minute) return t('time.seconds', { seconds: Math.floor(ms / second) });
  if (ms < hour) return t('time.minutes', { minutes: Math.floor(ms / minute) });
  if (ms < day) {
    const minutes = pad(Math.floor((ms % hour) / minute));
    return t('time.hours', { hours: Math.floor(ms / hour), minutes });
  }
  return t('time.days', { days: Math.floor(ms / day), hours: pad(Math.floor((ms % day) / hour)) });
}

/** `1:12`, `42:54`, `2:07:30`; `0:00` when the time has come. */
export function formatCountdown(durationMs: number): string {
  const seconds = Math.max(0, Math.ceil(durationMs / second));
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3_600),
    Math.floor((seconds % 3_600) / 60),
    seconds % 60,
  ];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`;
}

function formatDuration(locale: string, durationMs: number): string {
  const [value, unit, digits] =
    durationMs < second ? [durationMs, 'ms', 0] : [durationMs / second, 's', 1];
  const number = new Intl.NumberFormat(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${number.format(value)} ${unit}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
