import type { AlertRule, FleetSeries } from '@dowel/admin-api';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { alertsQuery } from '../api/queries.ts';
import type { Threshold } from '../charts/plot.tsx';
import { newestOf } from '../charts/values.ts';
import { useFormats } from '../i18n/formats.ts';

/** More broken installations than these open an alert. Undefined without the rule. */
export function useBrokenLimit({ groups }: FleetSeries): Threshold | undefined {
  const { t } = useTranslation();
  const { percent } = useFormats();
  const limit = useLimit('broken_share');
  if (limit === undefined) return undefined;
  const expected = [groups.working, groups.risk, groups.broken];
  const all = expected.reduce((total, values) => total + (newestOf(values) ?? 0), 0);
  return {
    value: (all * limit) / 100,
    text: t('charts.alertAbove', { number: percent(limit / 100) }),
  };
}

/** More refusals a minute than these open an alert. Undefined without the rule. */
export function useRefusedLimit(): Threshold | undefined {
  const { t } = useTranslation();
  const { count } = useFormats();
  const limit = useLimit('refused_burst');
  if (limit === undefined) return undefined;
  return { value: limit, text: t('charts.alertAbove', { number: count(limit) }) };
}

function useLimit(rule: AlertRule): number | undefined {
  const rules = useQuery(alertsQuery(useApi())).data?.rules ?? [];
  return rules.find((each) => each.rule === rule)?.limit ?? undefined;
}
