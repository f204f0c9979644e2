import type { Alerts } from '@dowel/admin-api';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { useAlertTitle } from '../shared/alert-texts.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';

/** The alerts that have ended, the latest first. */
export function RecentAlertsCard({ alerts: { recent, now } }: { alerts: Alerts }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const titleOf = useAlertTitle();
  return (
    <DataCard title={t('alerts.recent')}>
      <DataTable
        name={t('alerts.recent')}
        columns={[t('alerts.alert'), t('alerts.over'), t('alerts.lasted'), t('alerts.peak')]}
      >
        {recent.map((alert) => {
          const over = alert.recoveredAt ?? now;
          return (
            <tr key={alert.id}>
              <td className="breakable">{titleOf(alert)}</td>
              <td data-label={t('alerts.over')} title={formats.exact(over)}>
                {formats.recent(over, now)}
              </td>
              <td data-label={t('alerts.lasted')} className="numeric">
                {formats.age(over - alert.openedAt)}
              </td>
              <td data-label={t('alerts.peak')} className="numeric">
                {formats.count(alert.peak)}
              </td>
            </tr>
          );
        })}
      </DataTable>
    </DataCard>
  );
}
