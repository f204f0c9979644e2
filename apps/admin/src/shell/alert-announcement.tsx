import { VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useOpenAlerts } from '../api/use-open-alerts.ts';

/** Tells screen readers how many alerts are open when the number changes. */
export function AlertAnnouncement() {
  const { t } = useTranslation();
  const count = useOpenAlerts();
  return (
    <VisuallyHidden aria-live="polite">
      {count ? t('alerts.openCount', { count }) : null}
    </VisuallyHidden>
  );
}
