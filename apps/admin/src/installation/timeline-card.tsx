import { type TimelineKind, timelineKindSchema } from '@dowel/schema';
import { Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { timelineQuery } from '../api/queries.ts';
import chips from '../shared/chips.module.css';
import { OlderButton } from '../shared/older-button.tsx';
import { QueryFailure } from '../shared/query-failure.tsx';
import { foldEntries } from './fold-entries.ts';
import classes from './timeline.module.css';
import { TimelineRun } from './timeline-run.tsx';

export interface TimelineCardProps {
  id: string;
  /** When access was lost last. */
  lostAt: number | undefined;
}

/** Events, refreshes, requests for events and hooks in one list, newest first. */
export function TimelineCard({ id, lostAt }: TimelineCardProps) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<TimelineKind>();
  const timeline = useInfiniteQuery(timelineQuery(useApi(), id, kind));
  const runs = useMemo(
    () => foldEntries(timeline.data?.pages.flatMap(({ entries }) => entries) ?? []),
    [timeline.data],
  );

  return (
    <section className={`card ${classes.card}`} aria-labelledby="timeline-title">
      <h2 id="timeline-title" className={classes.title}>
        {t('timeline.title')}
      </h2>
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
      {timeline.data && runs.length === 0 ? (
        <p className={classes.none}>{t('timeline.none')}</p>
      ) : null}
      <ol className={`reset-list ${classes.list}`} aria-labelledby="timeline-title">
        {runs.map((run) => (
          <TimelineRun key={run.key} run={run} lostAt={lostAt} />
        ))}
      </ol>
      <OlderButton query={timeline} />
    </section>
  );
}
