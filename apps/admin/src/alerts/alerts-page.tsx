import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { alertsQuery } from '../api/queries.ts';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { ServerClock } from '../shared/ticker.tsx';
import classes from './alerts-page.module.css';
import { ChannelsCard } from './channels-card.tsx';
import { OpenAlertsCard } from './open-alerts-card.tsx';
import { RecentAlertsCard } from './recent-alerts-card.tsx';
import { RulesCard } from './rules-card.tsx';

/** Open and recent alerts, their rules, and the delivery of their messages. */
export function AlertsPage() {
  const { t } = useTranslation();
  usePageTitle(t('nav.alerts'));
  const { data, error, isPending, refetch } = useQuery(alertsQuery(useApi()));

  return (
    <div className={classes.page}>
      <h1 className="page-title">{t('nav.alerts')}</h1>
      {error ? (
        <QueryFailure title={t('alerts.failed')} error={error} onRetry={() => void refetch()} />
      ) : null}
      {isPending ? <Skeleton height={240} radius={10} /> : null}
      {data ? (
        <ServerClock time={data}>
          <OpenAlertsCard open={data.open} />
          <RulesCard alerts={data} />
          <ChannelsCard channels={data.channels} />
          {data.recent.length > 0 ? <RecentAlertsCard alerts={data} /> : null}
        </ServerClock>
      ) : null}
    </div>
  );
}
