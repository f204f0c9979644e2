import type { Alert, AlertFacts, AlertRule, Alerts } from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { type Formats, useFormats } from '../i18n/formats.ts';
import { Age } from '../shared/age.tsx';
import { alertPlaces, useAlertTitle } from '../shared/alert-texts.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { nameReason } from '../shared/reason-looks.ts';
import { nameReasons } from '../states/cause.ts';
import classes from './alerts-page.module.css';

/** The open alerts. */
export function OpenAlertsCard({ open }: Pick<Alerts, 'open'>) {
  const { t } = useTranslation();
  if (open.length === 0) {
    return <DataCard title={t('alerts.none')} note={t('alerts.noneNote')} />;
  }
  return (
    <DataCard title={t('alerts.open')}>
      <DataTable name={t('alerts.open')} columns={[t('alerts.alert'), t('alerts.since')]}>
        {open.map((alert) => (
          <OpenAlert key={alert.id} alert={alert} />
        ))}
      </DataTable>
    </DataCard>
  );
}

function OpenAlert({ alert }: { alert: Alert }) {
  const { t } = useTranslation();
  const title = useAlertTitle()(alert);
  const formats = useFormats();
  const { rule, facts, clearSince } = alert;
  return (
    <tr>
      <td className="breakable">
        <Link {...alertPlaces[rule]}>{title}</Link>
        {facts.worst.map((each) => (
          <div key={`${each.installationId} ${each.name} ${each.detail}`} className={classes.note}>
            {describeWorst({ t, formats }, rule, each).join(' · ')}
          </div>
        ))}
        {clearSince === null ? null : (
          <div>{t('alerts.clearing', { time: formats.moment(clearSince) })}</div>
        )}
      </td>
      <td data-label={t('alerts.since')}>
        <Age since={alert.since} />
      </td>
    </tr>
  );
}

/** Names, reasons and counts in the reader's language. */
function describeWorst(
  { t, formats }: { t: TFunction; formats: Formats },
  rule: AlertRule,
  { name, detail, count }: AlertFacts['worst'][number],
): string[] {
  const causeOf = (reason: string) => nameReasons(t, [reason]).get(reason) ?? reason;
  if (count === null) {
    const why = rule === 'broken_for' && detail !== '' ? causeOf(detail) : detail;
    return why === '' ? [name] : [name, why];
  }
  const number = formats.count(count);
  return rule === 'refused_burst'
    ? [nameReason(t, name), t('alerts.ofRefusals', { number })]
    : [causeOf(name), t('alerts.ofInstallations', { count, number })];
}
