import { VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOpenAlerts } from '../api/use-open-alerts.ts';

/** Tells screen readers how many alerts are open when the number changes, the last recovery included. */
export function AlertAnnouncement() {
  const { t } = useTranslation();
  const count = useOpenAlerts();
  const [hadOpen, setHadOpen] = useState(false);
  if (count && !hadOpen) setHadOpen(true);
  return (
    <VisuallyHidden aria-live="polite">
      {count ? t('alerts.openCount', { count }) : null}
      {count === 0 && hadOpen ? t('alerts.none') : null}
    </VisuallyHidden>
  );
}
