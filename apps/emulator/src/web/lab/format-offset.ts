import { formatUnit } from '../format-unit.ts';

const units = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
];

/** Seconds as the units that are not zero: `1 hr 5 min`, in German `1 Std. 5 Min.` */
export function formatOffset(locale: string, totalSeconds: number): string {
  let rest = Math.round(totalSeconds);
  const parts: string[] = [];
  for (const { unit, seconds } of units) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) parts.push(formatUnit(locale, count, unit));
  }
  return parts.join(' ') || formatUnit(locale, 0, 'second');
}
