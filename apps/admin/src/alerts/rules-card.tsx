import { type AlertRule, type Alerts, alertRuleSchema } from '@dowel/schema';
import Ban from 'lucide-react/icons/ban';
import CircleCheck from 'lucide-react/icons/circle-check';
import CirclePause from 'lucide-react/icons/circle-pause';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { HinderedButton } from '../shared/hindered-button.tsx';
import { RoleBadge } from '../shared/role-badge.tsx';
import classes from './alerts-page.module.css';
import { useHindrance } from './use-hindrance.ts';

export interface RulesCardProps {
  alerts: Alerts;
  /** For a rule without an open alert, for planned work. */
  onSilence: (rule: AlertRule) => void;
}

type RuleState = 'off' | 'silenced' | 'open' | 'quiet';

const looks = {
  off: { role: 'gone', icon: Ban },
  silenced: { role: 'hold', icon: CirclePause },
  open: { role: 'bad', icon: TriangleAlert },
  quiet: { role: 'ok', icon: CircleCheck },
} as const;

/** What opens an alert, also the rules that are off. */
export function RulesCard({ alerts, onSilence }: RulesCardProps) {
  const { t } = useTranslation();
  return (
    <DataCard title={t('alerts.rules')} note={t('alerts.rulesNote')}>
      <DataTable
        name={t('alerts.rules')}
        columns={[
          t('alerts.oneRule'),
          t('alerts.opensWhen'),
          t('alerts.ruleNow'),
          t('column.actions'),
        ]}
      >
        {alertRuleSchema.options.map((rule) => (
          <RuleRow key={rule} rule={rule} alerts={alerts} onSilence={onSilence} />
        ))}
      </DataTable>
    </DataCard>
  );
}

function RuleRow({ rule, alerts, onSilence }: RulesCardProps & { rule: AlertRule }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const roleHindrance = useHindrance();
  const name = t(`alerts.name.${rule}`);
  const state = stateOf(rule, alerts);
  const limit = alerts.rules.find((each) => each.rule === rule)?.limit ?? 0;
  // Each key has a silence of its own, and which key it is about is known when the alert opens.
  const hindrance = rule === 'key_unreadable' ? t('alerts.silenceWhenOpen') : roleHindrance;
  return (
    <tr>
      <td>{name}</td>
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
      <td className={classes.actions}>
        {state === 'quiet' ? (
          <HinderedButton
            hindrance={hindrance}
            label={t('alerts.silenceOf', { alert: name })}
            onClick={() => onSilence(rule)}
          >
            {t('alerts.silence')}
          </HinderedButton>
        ) : null}
      </td>
    </tr>
  );
}

function stateOf(rule: AlertRule, { rules, silences, open }: Alerts): RuleState {
  if (!rules.some((each) => each.rule === rule)) return 'off';
  // A silence of one key leaves the other keys' alerts.
  if (silences.some((each) => each.rule === rule && each.subject === '')) return 'silenced';
  return open.some((each) => each.rule === rule) ? 'open' : 'quiet';
}
