import type { TrustRuleEntry } from '@dowel/admin-api';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import Pin from 'lucide-react/icons/pin';
import ShieldCheck from 'lucide-react/icons/shield-check';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import type { Role } from '../role-colors.ts';
import { Age } from '../shared/age.tsx';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { ReasonSentence } from '../shared/reason-sentence.tsx';
import { RoleBadge } from '../shared/role-badge.tsx';
import { Fingerprint } from './fingerprint.tsx';
import classes from './keys-page.module.css';

const looks = {
  pinned: { role: 'ok', icon: Pin },
  reachable: { role: 'ok', icon: ShieldCheck },
  unasked: { role: 'gone', icon: CircleDashed },
  stale: { role: 'risk', icon: TriangleAlert },
  failing: { role: 'bad', icon: TriangleAlert },
} as const satisfies Record<string, { role: Role; icon: typeof Pin }>;

export function TrustCard({ rules, now }: { rules: readonly TrustRuleEntry[]; now: number }) {
  const { t } = useTranslation();
  if (rules.length === 0)
    return <DataCard title={t('trust.noRules')} note={t('trust.noRulesNote')} />;
  const columns = ['issuer', 'location', 'fetched', 'age', 'state'] as const;
  return (
    <DataCard title={t('trust.rules')} note={t('trust.rulesNote')}>
      <DataTable name={t('trust.rules')} columns={columns.map((name) => t(`trust.${name}`))}>
        {rules.map((rule, index) => (
          <RuleRow key={`${index} ${rule.issuer}`} rule={rule} now={now} />
        ))}
      </DataTable>
    </DataCard>
  );
}

function RuleRow({ rule, now }: { rule: TrustRuleEntry; now: number }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { issuer, location, pinned, fetchedAt, failure } = rule;
  const state = stateOf(rule, now);
  const { role, icon } = looks[state];
  return (
    <tr>
      <td className="breakable">
        {issuer === '*' ? <strong>{t('trust.anyIssuer')}</strong> : <code>{issuer}</code>}
      </td>
      <td className="breakable" data-label={t('trust.location')}>
        {pinned ? (
          <>
            {t('trust.pinned', { count: pinned.length, n: formats.count(pinned.length) })}
            {pinned.map((key) => (
              <div key={key.fingerprint} className={classes.reason}>
                {key.algorithm} <Fingerprint text={key.fingerprint} />
              </div>
            ))}
          </>
        ) : (
          <code>{location}</code>
        )}
      </td>
      <td className="numeric" data-label={t('trust.fetched')}>
        {fetchedAt === null ? '–' : formats.recent(fetchedAt, now)}
      </td>
      <td data-label={t('trust.age')}>{fetchedAt === null ? '–' : <Age since={fetchedAt} />}</td>
      <td>
        <RoleBadge role={role} icon={icon}>
          {t(`trust.rule.${state}`, { at: formats.recent(failure?.at ?? now, now) })}
        </RoleBadge>
        {failure ? (
          <div className={classes.reason}>
            <ReasonSentence reason={failure.reason} />
          </div>
        ) : null}
      </td>
    </tr>
  );
}

function stateOf(
  { pinned, fetchedAt, usableUntil, failure }: TrustRuleEntry,
  now: number,
): keyof typeof looks {
  if (pinned) return 'pinned';
  if (failure) return usableUntil !== null && usableUntil > now ? 'stale' : 'failing';
  return fetchedAt === null ? 'unasked' : 'reachable';
}
