import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import BellRing from 'lucide-react/icons/bell-ring';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { alertsQuery } from '../api/queries.ts';
import { useAlertTitle } from '../shared/alert-texts.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import classes from './overview-page.module.css';

/** One line that leads to the open alerts; nothing without any. */
export function OpenAlertsLine() {
  const { t } = useTranslation();
  const titleOf = useAlertTitle();
  const { data, error, refetch } = useQuery(alertsQuery(useApi()));
  const open = data?.open ?? [];
  if (error && !data) {
    const retry = () => void refetch();
    return <QueryFailure title={t('alerts.failed')} error={error} onRetry={retry} />;
  }
  if (open.length === 0) return null;
  return (
    <p className={classes.alerts}>
      <BellRing size={16} aria-hidden="true" />
      <Link to="/alerts">{t('alerts.openCount', { count: open.length })}</Link>
      <span className="dimmed">{open.map(titleOf).join(' · ')}</span>
    </p>
  );
}
