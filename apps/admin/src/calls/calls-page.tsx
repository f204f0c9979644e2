import { type CallEntry, type CallGroups, type Calls, listCallLines } from '@dowel/admin-api';
import { Button, Skeleton, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import Download from 'lucide-react/icons/download';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { awaitsFirstAnswer } from '../api/awaits-first-answer.ts';
import { useLanguage } from '../i18n/use-language.ts';
import { CallTable } from '../shared/call-table.tsx';
import { describeMet, nameCallReason } from '../shared/call-texts.ts';
import { DataCard } from '../shared/data-table.tsx';
import { OlderButton } from '../shared/older-button.tsx';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { saveCsv } from '../shared/save-csv.ts';
import { Segments } from '../shared/segments.tsx';
import { CallGroupsCard } from './call-groups.tsx';
import classes from './calls-page.module.css';
import { callGroupsQuery, callsQuery } from './calls-query.ts';
import { type CallsSearch, parseCallsSearch, type SpanName, spans } from './calls-search.ts';

const names = Object.keys(spans) as SpanName[];
const outcomes = ['failed', 'all'] as const;

/** Calls to the platform: which fail, why, for whom, and what the platform answered. */
export function CallsPage() {
  const search = useSearch({ from: '/operator/calls' });
  const { last = 'day', outcome = 'failed' } = search;
  const { t } = useTranslation();
  usePageTitle(t('nav.calls'));
  const navigate = useNavigate();
  const api = useApi();
  const calls = useInfiniteQuery(callsQuery(api, search));
  const groups = useQuery(callGroupsQuery(api, search));
  const choose = (changed: Record<string, string>) =>
    void navigate({
      to: '/calls',
      search: (before) => parseCallsSearch({ ...before, ...changed }),
    });
  const retry = () => {
    void calls.refetch();
    void groups.refetch();
  };
  const error = calls.error ?? groups.error;
  // A table that appears above another would push it down.
  const isPending = awaitsFirstAnswer(calls) || awaitsFirstAnswer(groups);

  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <div>
          <h1 className="page-title">{t('nav.calls')}</h1>
          <p className={classes.lead}>{t('calls.lead')}</p>
        </div>
        <div className={classes.choices}>
          <Segments
            label={t('calls.outcome')}
            value={outcome}
            onChange={(chosen) => choose({ outcome: chosen })}
            choices={outcomes.map((value) => ({ value, label: t(`calls.outcomes.${value}`) }))}
          />
          <Segments
            label={t('calls.span')}
            value={last}
            onChange={(chosen) => choose({ last: chosen })}
            choices={names.map((value) => ({ value, label: t(`calls.spans.${value}`) }))}
          />
        </div>
      </header>
      {error ? <QueryFailure title={t('calls.failed')} error={error} onRetry={retry} /> : null}
      {isPending ? (
        <Skeleton height={420} radius={10} />
      ) : (
        <LoadedCalls search={search} groups={groups.data} pages={calls.data?.pages} />
      )}
      <OlderButton query={calls} />
    </div>
  );
}

interface LoadedCallsProps {
  search: CallsSearch;
  /** Undefined: they could not be loaded. */
  groups: CallGroups | undefined;
  pages: readonly Calls[] | undefined;
}

function LoadedCalls({ search, groups, pages }: LoadedCallsProps) {
  const { t } = useTranslation();
  const shown = pages?.flatMap((page) => page.calls) ?? [];
  const isEmpty = shown.length === 0 && describeFilter(t, search, shown) === undefined;
  return (
    <>
      {groups && groups.reasons.length > 0 ? (
        <CallGroupsCard groups={groups} search={search} />
      ) : null}
      {pages && isEmpty ? (
        <DataCard title={t(`calls.none.${search.last ?? 'day'}`)} note={t('calls.noneNote')} />
      ) : null}
      {pages && !isEmpty ? (
        <CallsCard search={search} shown={shown} now={pages[0]?.now ?? 0} />
      ) : null}
    </>
  );
}

interface CallsCardProps {
  search: CallsSearch;
  shown: readonly CallEntry[];
  now: number;
}

function CallsCard({ search, shown, now }: CallsCardProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const filter = describeFilter(t, search, shown);
  const title = filter === undefined ? t('calls.list') : t('calls.only', { what: filter });
  const { last, outcome } = search;
  return (
    <DataCard
      title={title}
      note={t('calls.listNote')}
      tools={
        <>
          {filter === undefined ? null : (
            <Link to="/calls" search={{ last, outcome }}>
              {t('calls.clear')}
            </Link>
          )}
          <Button
            variant="default"
            size="compact-xs"
            leftSection={<Download size={13} aria-hidden="true" />}
            aria-label={t('calls.saveCsv')}
            disabled={shown.length === 0}
            onClick={() => saveCsv('calls.csv', listCallLines(shown, language))}
          >
            CSV
          </Button>
        </>
      }
    >
      <VisuallyHidden aria-live="polite">{t('calls.shown', { title })}</VisuallyHidden>
      {shown.length === 0 ? <p className="dimmed">{t('calls.noMatch')}</p> : null}
      {shown.length > 0 ? <CallTable name={t('calls.list')} calls={shown} now={now} /> : null}
    </DataCard>
  );
}

/** The filters in words; undefined without one. */
function describeFilter(
  t: TFunction,
  { reason, status, fault, host, installation, plugin }: CallsSearch,
  [first]: readonly CallEntry[],
): string | undefined {
  const of = first?.installation;
  const tenant = of ? of.name || of.host : t('calls.oneTenant');
  const met = describeMet(t, { status: status ?? null, fault: fault ?? null });
  const words = [
    installation === undefined ? undefined : tenant,
    plugin === undefined ? undefined : t('calls.onePlugin', { id: plugin }),
    reason === undefined ? undefined : nameCallReason(t, reason),
    met || undefined,
    host,
  ].filter((word) => word !== undefined);
  return words.length === 0 ? undefined : words.join(' · ');
}
