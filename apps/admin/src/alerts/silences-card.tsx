import type { AlertSilence } from '@dowel/schema';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { HinderedButton } from '../shared/hindered-button.tsx';
import classes from './alerts-page.module.css';
import { useHindrance } from './use-hindrance.ts';

export interface SilencesCardProps {
  silences: readonly AlertSilence[];
  onEnd: (silence: AlertSilence) => void;
}

/** The silences, also of rules without an open alert. */
export function SilencesCard({ silences, onEnd }: SilencesCardProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const hindrance = useHindrance();
  return (
    <DataCard title={t('alerts.silences')} note={t('alerts.untilThen')}>
      <DataTable
        name={t('alerts.silences')}
        columns={[t('alerts.alert'), t('alerts.until'), t('alerts.reason'), t('column.actions')]}
      >
        {silences.map((silence) => {
          const { rule, subject, until, by, reason } = silence;
          const name = `${t(`alerts.name.${rule}`)} ${subject}`.trim();
          return (
            <tr key={`${rule} ${subject}`}>
              <td className="breakable">{name}</td>
              <td data-label={t('alerts.until')} title={formats.exact(until)}>
                {formats.moment(until)}
              </td>
              <td className="breakable" data-label={t('alerts.reason')}>
                {reason}
                <div className={classes.note}>{by}</div>
              </td>
              <td className={classes.actions}>
                <HinderedButton
                  hindrance={hindrance}
                  label={t('alerts.endSilenceOf', { rule: name })}
                  onClick={() => onEnd(silence)}
                >
                  {t('alerts.endSilence')}
                </HinderedButton>
              </td>
            </tr>
          );
        })}
      </DataTable>
    </DataCard>
  );
}
