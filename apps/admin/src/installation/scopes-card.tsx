import type { FleetDetail, InstallationState } from '@dowel/admin-api';
import Check from 'lucide-react/icons/check';
import CircleHelp from 'lucide-react/icons/circle-question-mark';
import Unplug from 'lucide-react/icons/unplug';
import X from 'lucide-react/icons/x';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import type { Role } from '../role-colors.ts';
import { RoleBadge } from '../shared/role-badge.tsx';
import { FactCard } from './fact-card.tsx';
import { findWithdrawal, readScope, type ScopeState } from './read-scope.ts';
import classes from './scopes-card.module.css';

const looks: Readonly<Record<ScopeState, { role: Role; icon: typeof Check }>> = {
  granted: { role: 'ok', icon: Check },
  notGranted: { role: 'bad', icon: X },
  unclear: { role: 'risk', icon: CircleHelp },
  ended: { role: 'gone', icon: Unplug },
};

export interface ScopesCardProps {
  detail: FleetDetail;
  state: InstallationState;
}

/** Compares requested and granted scopes (Spec §4.1). */
export function ScopesCard({ detail, state }: ScopesCardProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { requested, granted, at, endedAt } = detail.scopes;
  const scopes = [...new Set([...requested, ...granted])];
  const withdrawnAt = findWithdrawal(detail);
  return (
    <FactCard title={t('scopes.title')}>
      {scopes.length === 0 ? <p className="dimmed">{t('scopes.none')}</p> : null}
      <ul className={`reset-list ${classes.scopes}`}>
        {scopes.map((scope) => {
          const scopeState = readScope(scope, detail, state);
          return (
            <li key={scope}>
              <div className={classes.scope}>
                <code className="breakable">{scope}</code>
                <RoleBadge {...looks[scopeState]}>{t(`scopes.${scopeState}`)}</RoleBadge>
              </div>
              <div className={classes.note}>
                {requested.includes(scope) ? t('scopes.requested') : t('scopes.notRequested')}
                {scopeState === 'granted' && at !== null
                  ? ` · ${t('scopes.since', { date: formats.date(at) })}`
                  : null}
                {scopeState === 'notGranted' && granted.includes(scope) && withdrawnAt !== undefined
                  ? ` · ${t('scopes.grantedUntil', { date: formats.date(withdrawnAt) })}`
                  : null}
                {scopeState === 'ended' && endedAt !== null
                  ? ` · ${t('scopes.until', { date: formats.date(endedAt) })}`
                  : null}
              </div>
            </li>
          );
        })}
      </ul>
    </FactCard>
  );
}
