import type { AlertRule, AlertSilence, Alerts } from '@dowel/schema';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { HinderedButton } from '../shared/hindered-button.tsx';
import classes from './alerts-page.module.css';
import { useHindrance } from './use-hindrance.ts';

export interface SilencesCardProps {
  alerts: Alerts;
  onEnd: (silence: AlertSilence) => void;
  /** Begins a silence; no alert needs to be open. */
  onBegin: (rules: readonly [AlertRule, ...AlertRule[]]) => void;
}

/** The silences, also of rules without an open alert. */
export function SilencesCard({ alerts, onEnd, onBegin }: SilencesCardProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const hindrance = useHindrance();
  const [first, ...others] = rulesToSilence(alerts);
  const isAny = alerts.silences.length > 0;
  return (
    <DataCard
      title={t('alerts.silences')}
      note={t(isAny ? 'alerts.untilThen' : 'alerts.noSilence')}
    >
      {isAny ? (
        <DataTable
          name={t('alerts.silences')}
          columns={[t('alerts.alert'), t('alerts.until'), t('alerts.reason'), t('column.actions')]}
        >
          {alerts.silences.map((silence) => {
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
      ) : null}
      {first ? (
        <div className={classes.foot}>
          <HinderedButton hindrance={hindrance} onClick={() => onBegin([first, ...others])}>
            {t('alerts.silenceRule')}
          </HinderedButton>
        </div>
      ) : null}
    </DataCard>
  );
}

/** Without the rule of keys: the affected key is unknown until the alert opens. */
function rulesToSilence({ rules, silences }: Alerts): AlertRule[] {
  return rules
    .map(({ rule }) => rule)
    .filter((rule) => rule !== 'key_unreadable' && !silences.some((each) => each.rule === rule));
}
