import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { DeliveriesCard } from './deliveries-card.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import classes from './events-page.module.css';
import { refusalsQuery } from './events-query.ts';
import { type EventsSearch, parseEventsSearch, reasonOrders } from './events-search.ts';
import { ReasonsCard } from './reasons-card.tsx';

/** What the platform posted and what it was answered; above, why events and sessions were refused. */
export function EventsPage() {
  const search = useSearch({ from: '/operator/events' });
  const { span = 'day', reasons = reasonOrders[0], delivery } = search;
  const { t } = useTranslation();
  usePageTitle(t('nav.events'));
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useQuery(refusalsQuery(useApi(), span));
  const choose = (change: EventsSearch) =>
    void navigate({
      to: '/events',
      search: (before) => parseEventsSearch({ ...before, ...change }),
    });

  return (
    <div className={classes.page}>
      <header>
        <h1 className="page-title">{t('nav.events')}</h1>
        <p className={classes.lead}>{t('events.lead')}</p>
      </header>
      {error ? (
        <QueryFailure title={t('events.failed')} error={error} onRetry={() => void refetch()} />
      ) : null}
      {isPending ? <Skeleton height={480} radius={10} /> : null}
      {data ? (
        <ReasonsCard
          refusals={data}
          span={span}
          order={reasons}
          chosen={search.reason}
          choose={choose}
        />
      ) : null}
      {/* Its request begins at once; it appears at its place, below the reasons. */}
      <div hidden={isPending}>
        <DeliveriesCard search={search} choose={choose} />
      </div>
      {delivery === undefined ? null : (
        <DeliveryDialog id={delivery} onClose={() => choose({ delivery: undefined })} />
      )}
    </div>
  );
}
