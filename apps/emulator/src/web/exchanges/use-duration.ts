import type { ExchangeSummary } from '@dowel/emulator/control-api';
import { formatUnit } from '../format-unit.ts';
import { useLocale } from '../use-locale.ts';

/** The time from a request to its answer, such as `12 ms`; null without an answer. */
export function useDuration({ at, answeredAt }: ExchangeSummary): string | null {
  const locale = useLocale();
  if (answeredAt === null) return null;
  const durationMs = answeredAt - at;
  if (durationMs < 1_000) return formatUnit(locale, Math.round(durationMs), 'millisecond');
  return formatUnit(locale, durationMs / 1_000, 'second');
}
