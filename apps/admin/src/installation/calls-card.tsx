import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { failedCallsQuery } from '../api/queries.ts';
import { CallTable } from '../shared/call-table.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import { FactCard } from './fact-card.tsx';

export interface CallsCardProps {
  id: string;
  /** Its calls fail, so there is something to show: the card keeps room for it. */
  isFailing: boolean;
}

/** The last ten calls of an installation that failed. */
export function CallsCard({ id, isFailing }: CallsCardProps) {
  const { t } = useTranslation();
  const { data, error, isPending, refetch } = useQuery(failedCallsQuery(useApi(), id));
  const hasCalls = data !== undefined && data.calls.length > 0;
  return (
    <FactCard
      title={t('calls.last')}
      action={
        hasCalls ? (
          <Link to="/calls" search={{ installation: id, last: 'week' }}>
            {t('calls.showAll')}
          </Link>
        ) : null
      }
    >
      {error ? (
        <QueryFailure title={t('calls.failed')} error={error} onRetry={() => void refetch()} />
      ) : null}
      {isPending ? <Skeleton height={isFailing ? 480 : 20} /> : null}
      {data && !hasCalls ? <p className="dimmed">{t('calls.noneOfOne')}</p> : null}
      {hasCalls ? (
        <CallTable name={t('calls.last')} calls={data.calls} now={data.now} isOfOne />
      ) : null}
    </FactCard>
  );
}
