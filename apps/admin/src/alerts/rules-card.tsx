import { type AlertRule, type Alerts, alertRuleSchema } from '@dowel/admin-api';
import Ban from 'lucide-react/icons/ban';
import CircleCheck from 'lucide-react/icons/circle-check';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { RoleBadge } from '../shared/role-badge.tsx';

const looks = {
  off: { role: 'gone', icon: Ban },
  open: { role: 'bad', icon: TriangleAlert },
  quiet: { role: 'ok', icon: CircleCheck },
} as const;

/** What opens an alert, also the rules that are off. */
export function RulesCard({ alerts }: { alerts: Alerts }) {
  const { t } = useTranslation();
  return (
    <DataCard title={t('alerts.rules')} note={t('alerts.rulesNote')}>
      <DataTable
        name={t('alerts.rules')}
        columns={[t('alerts.oneRule'), t('alerts.opensWhen'), t('alerts.ruleNow')]}
      >
        {alertRuleSchema.options.map((rule) => (
          <RuleRow key={rule} rule={rule} alerts={alerts} />
        ))}
      </DataTable>
    </DataCard>
  );
}

function RuleRow({ rule, alerts }: { rule: AlertRule; alerts: Alerts }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const state = stateOf(rule, alerts);
  const limit = alerts.rules.find((each) => each.rule === rule)?.limit ?? 0;
  return (
    <tr>
      <td>{t(`alerts.name.${rule}`)}</td>
      <td className="breakable" data-label={t('alerts.opensWhen')}>
        {state === 'off' ? (
          <span className="dimmed">{t('alerts.ruleOff')}</span>
        ) : (
          t(`alerts.when.${rule}`, { limit: formats.count(limit) })
        )}
      </td>
      <td data-label={t('alerts.ruleNow')}>
        <RoleBadge {...looks[state]} isOutline={state !== 'open'}>
          {t(`alerts.ruleState.${state}`)}
        </RoleBadge>
      </td>
    </tr>
  );
}

function stateOf(rule: AlertRule, { rules, open }: Alerts): keyof typeof looks {
  if (!rules.some((each) => each.rule === rule)) return 'off';
  return open.some((each) => each.rule === rule) ? 'open' : 'quiet';
}
