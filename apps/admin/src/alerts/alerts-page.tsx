import type { AlertSilence } from '@dowel/schema';
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
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
import { type SilenceAction, SilenceDialog } from './silence-dialog.tsx';
import { SilencesCard } from './silences-card.tsx';

/** Open and recent alerts, their rules and silences, and the delivery of their messages. */
export function AlertsPage() {
  const { t } = useTranslation();
  usePageTitle(t('nav.alerts'));
  const { data, error, isPending, refetch } = useQuery(alertsQuery(useApi()));
  const [action, setAction] = useState<SilenceAction>();
  const end = ({ rule, subject }: AlertSilence) => setAction({ kind: 'end', rule, subject });

  return (
    <div className={classes.page}>
      <h1 className="page-title">{t('nav.alerts')}</h1>
      {error ? (
        <QueryFailure title={t('alerts.failed')} error={error} onRetry={() => void refetch()} />
      ) : null}
      {isPending ? <Skeleton height={240} radius={10} /> : null}
      {data ? (
        <ServerClock time={data}>
          <OpenAlertsCard
            alerts={data}
            onSilence={({ rule, subject }) => setAction({ kind: 'silence', rule, subject })}
          />
          {data.silences.length > 0 ? <SilencesCard silences={data.silences} onEnd={end} /> : null}
          <RulesCard
            alerts={data}
            onSilence={(rule) => setAction({ kind: 'silence', rule, subject: '' })}
          />
          <ChannelsCard channels={data.channels} />
          {data.recent.length > 0 ? <RecentAlertsCard alerts={data} /> : null}
        </ServerClock>
      ) : null}
      {action ? <SilenceDialog action={action} onClose={() => setAction(undefined)} /> : null}
    </div>
  );
}
