import type { Alert, AlertRule } from '@dowel/admin-api';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';

/** The title of an alert in the reader's language. */
export function useAlertTitle(): (alert: Alert) => string {
  const { t } = useTranslation();
  const formats = useFormats();
  return ({ rule, subject, facts }) =>
    t(`alerts.rule.${rule}`, {
      // “More than one” is a plural.
      count: facts.isAtLeast ? facts.count + 1 : facts.count,
      number: `${facts.isAtLeast ? '> ' : ''}${formats.count(facts.count)}`,
      of: formats.count(facts.of ?? 0),
      limit: formats.count(facts.limit ?? 0),
      subject,
    });
}

/** The page with the details of each rule's alert. */
export const alertPlaces = {
  broken_for: { to: '/installations', search: { group: 'broken' } },
  broken_share: { to: '/installations', search: { group: 'broken' } },
  refused_burst: { to: '/events', search: { outcome: 'refused' } },
  hook_parked: { to: '/hooks' },
  key_unreadable: { to: '/keys' },
} as const satisfies Record<AlertRule, { to: string; search?: object }>;
