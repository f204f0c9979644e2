import { type Delivery, listDeliveryLines } from '@dowel/admin-api';
import { Button, Skeleton, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import Download from 'lucide-react/icons/download';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { useLanguage } from '../i18n/use-language.ts';
import { DataCard, DataTable } from '../shared/data-table.tsx';
import { OlderButton } from '../shared/older-button.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import { nameReason } from '../shared/reason-looks.ts';
import { saveCsv } from '../shared/save-csv.ts';
import { DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryRow } from './delivery-row.tsx';
import classes from './events-page.module.css';
import { deliveriesQuery } from './events-query.ts';
import { type EventsSearch, isFiltered } from './events-search.ts';

export interface DeliveriesCardProps {
  search: EventsSearch;
  choose: (change: EventsSearch) => void;
}

const columns = ['at', 'event', 'tenant', 'answer', 'duration'] as const;

/** The deliveries of events, and refused sessions, that match the filters. */
export function DeliveriesCard({ search, choose }: DeliveriesCardProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const query = useInfiniteQuery(deliveriesQuery(useApi(), search));
  const shown = query.data?.pages.flatMap(({ deliveries }) => deliveries) ?? [];
  const title = search.reason === undefined ? t('events.list') : nameReason(t, search.reason);
  return (
    <DataCard
      title={title}
      note={t('events.listNote')}
      tools={
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<Download size={13} aria-hidden="true" />}
          aria-label={t('list.export', { format: 'CSV' })}
          disabled={shown.length === 0}
          onClick={() => saveCsv('events.csv', listDeliveryLines(shown, language))}
        >
          CSV
        </Button>
      }
    >
      <VisuallyHidden aria-live="polite">
        {query.data ? t('events.shown', { title, count: shown.length }) : ''}
      </VisuallyHidden>
      <DeliveryFilters search={search} choose={choose} tenant={tenantOf(shown, search)} />
      {query.error ? (
        <QueryFailure
          title={t('events.listFailed')}
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      ) : null}
      {query.isPending ? <Skeleton height={240} radius={10} /> : null}
      {query.data && shown.length === 0 ? (
        <p className={classes.empty}>{t(isFiltered(search) ? 'events.noMatch' : 'events.empty')}</p>
      ) : null}
      {shown.length > 0 ? (
        <div className={`${classes.compact} ${classes.list}`}>
          <DataTable name={t('events.list')} columns={columns.map((each) => t(`events.${each}`))}>
            {shown.map((delivery) => (
              <DeliveryRow key={delivery.id} delivery={delivery} />
            ))}
          </DataTable>
        </div>
      ) : null}
      <div className={classes.foot}>
        <OlderButton query={query} />
      </div>
    </DataCard>
  );
}

/** The name of the tenant that the list is limited to; undefined: it is not. */
function tenantOf(
  [first]: readonly Delivery[],
  { installation }: EventsSearch,
): string | undefined {
  if (installation === undefined || first === undefined) return installation;
  return first.name || first.host || installation;
}
