import { type TimelineEntry, type TimelineKind, timelineKindSchema } from '@dowel/admin-api';
import { Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { timelineQuery } from '../api/queries.ts';
import chips from '../shared/chips.module.css';
import { OlderButton } from '../shared/older-button.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import { foldEntries, type Run } from './fold-entries.ts';
import classes from './timeline.module.css';
import { TimelineLoss } from './timeline-loss.tsx';
import { TimelineRun } from './timeline-run.tsx';

export interface TimelineCardProps {
  id: string;
  /** When access was lost last; null: it was not. */
  lostAt: number | null;
}

/** Events, refreshes, requests for events and hooks in one list, newest first. */
export function TimelineCard({ id, lostAt }: TimelineCardProps) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<TimelineKind>();
  const timeline = useInfiniteQuery(timelineQuery(useApi(), id, kind));
  const entries = useMemo(
    () => timeline.data?.pages.flatMap((page) => page.entries) ?? [],
    [timeline.data],
  );
  const [later, earlier] = useMemo(() => foldAround(entries, lostAt), [entries, lostAt]);
  const isLossLoaded = timeline.data && (earlier.length > 0 || !timeline.hasNextPage);

  return (
    <section className={`card ${classes.card}`} aria-labelledby="timeline-title">
      <div className={classes.head}>
        <h2 id="timeline-title" className={classes.title}>
          {t('timeline.title')}
        </h2>
        <Link to="/events" search={{ installation: id }}>
          {t('events.ofTenant')}
        </Link>
      </div>
      <fieldset className={`${chips.chips} ${classes.filter}`} aria-label={t('timeline.filter')}>
        {[undefined, ...timelineKindSchema.options].map((each) => (
          <button
            key={each ?? 'all'}
            type="button"
            className={chips.chip}
            aria-pressed={kind === each}
            aria-current={kind === each ? 'true' : undefined}
            onClick={() => setKind(each)}
          >
            {t(`timeline.kind.${each ?? 'all'}`)}
          </button>
        ))}
      </fieldset>
      {timeline.error ? (
        <QueryFailure
          title={t('timeline.failed')}
          error={timeline.error}
          onRetry={() => void timeline.refetch()}
        />
      ) : null}
      {timeline.isPending ? <Skeleton height={160} mt={14} /> : null}
      {timeline.data && entries.length === 0 ? (
        <p className={classes.none}>{t('timeline.none')}</p>
      ) : null}
      <ol className={`reset-list ${classes.list}`} aria-labelledby="timeline-title">
        {later.map((run) => (
          <TimelineRun key={run.key} run={run} />
        ))}
        {lostAt !== null && isLossLoaded ? <TimelineLoss at={lostAt} /> : null}
        {earlier.map((run) => (
          <TimelineRun key={run.key} run={run} />
        ))}
      </ol>
      <OlderButton query={timeline} />
    </section>
  );
}

/** The entries after the loss, and those before it. */
function foldAround(entries: readonly TimelineEntry[], lostAt: number | null): [Run[], Run[]] {
  const isLater = ({ at }: TimelineEntry) => lostAt !== null && at > lostAt;
  const earlier = entries.filter((entry) => !isLater(entry));
  return [foldEntries(entries.filter(isLater)), foldEntries(earlier)];
}
