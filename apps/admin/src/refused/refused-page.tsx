import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { DataCard } from '../shared/data-table.tsx';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { Segments } from '../shared/segments.tsx';
import { LastRefusalsCard } from './last-refusals-card.tsx';
import { ReasonsCard } from './reasons-card.tsx';
import { refusalsQuery } from './refusals-query.ts';
import classes from './refused-page.module.css';
import { parseRefusedSearch, type SpanName, spans } from './refused-search.ts';

const names = Object.keys(spans) as SpanName[];
const sorts = ['help', 'count'] as const;

/**
 * Events and sessions that were rejected before they reached an installation: how often, when, from where, and what
 * helps.
 */
export function RefusedPage() {
  const { span = 'day', reason, order } = useSearch({ from: '/operator/refused' });
  const { t } = useTranslation();
  usePageTitle(t('nav.refused'));
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useQuery(refusalsQuery(useApi(), span));
  const choose = (changed: Record<string, string>) =>
    void navigate({
      to: '/refused',
      search: (before) => parseRefusedSearch({ ...before, ...changed }),
    });

  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <div>
          <h1 className="page-title">{t('nav.refused')}</h1>
          <p className={classes.lead}>{t('refused.lead')}</p>
        </div>
        <div className={classes.choices}>
          <Segments
            label={t('refused.sort')}
            value={order ?? 'help'}
            onChange={(chosen) => choose({ order: chosen })}
            choices={sorts.map((value) => ({ value, label: t(`refused.sorts.${value}`) }))}
          />
          <Segments
            label={t('refused.span')}
            value={span}
            onChange={(chosen) => choose({ span: chosen })}
            choices={names.map((value) => ({ value, label: t(`refused.spans.${value}`) }))}
          />
        </div>
      </header>
      {error ? (
        <QueryFailure title={t('refused.failed')} error={error} onRetry={() => void refetch()} />
      ) : null}
      {isPending ? <Skeleton height={360} radius={10} /> : null}
      {data && data.reasons.length === 0 ? (
        <DataCard title={t(`refused.none.${span}`)} note={t('refused.noneNote')} />
      ) : null}
      {data && data.reasons.length > 0 ? (
        <ReasonsCard reasons={data.reasons} now={data.now} order={order} />
      ) : null}
      {data && data.last.length > 0 ? (
        <LastRefusalsCard refusals={data} reason={reason} order={order} />
      ) : null}
    </div>
  );
}
