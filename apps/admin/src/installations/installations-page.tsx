import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { awaitsFirstAnswer } from '../api/awaits-first-answer.ts';
import { fleetQuery } from '../api/queries.ts';
import { usePageTitle } from '../shared/page-title.ts';
import { QueryFailure } from '../shared/query-failure.tsx';
import { ServerClock } from '../shared/ticker.tsx';
import { CauseChips } from './cause-chips.tsx';
import { ExportLinks } from './export-links.tsx';
import { FilterChoices } from './filter-choices.tsx';
import { GroupChips } from './group-chips.tsx';
import { InstallationTable } from './installation-table.tsx';
import classes from './installations-page.module.css';
import { ListMessage } from './list-message.tsx';
import { RunButton } from './run-button.tsx';
import { RunList } from './run-list.tsx';
import { SearchBox } from './search-box.tsx';
import { SortChoice } from './sort-choice.tsx';
import { TableSkeleton } from './table-skeleton.tsx';
import { useInstallationList } from './use-installation-list.ts';
import { useStartedRun } from './use-started-run.ts';

export function InstallationsPage() {
  const search = useSearch({ from: '/operator/installations' });
  const { t } = useTranslation();
  usePageTitle(t('nav.installations'));
  const { startedId, start, close } = useStartedRun();
  const counts = useQuery(fleetQuery(useApi()));
  const fleet = counts.data;
  const list = useInstallationList(search);
  // Filters and causes are before the order and the rows: if they came later, these would move.
  const isCounting = awaitsFirstAnswer(counts);

  return (
    <div className={classes.page}>
      <div className={classes.heading}>
        <h1 className="page-title">{t('nav.installations')}</h1>
        <div className={classes.choices}>
          {fleet ? <FilterChoices search={search} fleet={fleet} /> : null}
          {isCounting ? null : <SortChoice search={search} />}
          {list.ids.length > 0 && !isCounting ? (
            <>
              <ExportLinks search={search} total={list.total} />
              <RunButton
                target={{ search, count: list.total?.isExact ? list.total.count : undefined }}
                name={t('run.all')}
                onStarted={start}
              />
            </>
          ) : null}
        </div>
      </div>
      <RunList startedId={startedId} onClose={close} />
      <GroupChips search={search} fleet={fleet} />
      <section className={`card ${classes.card}`} aria-label={t('nav.installations')}>
        <div className={classes.tools}>
          <SearchBox search={search} />
          {fleet ? <CauseChips search={search} causes={fleet.causes} /> : null}
        </div>
        {list.error ? (
          <QueryFailure title={t('list.failed')} error={list.error} onRetry={list.tryAgain} />
        ) : null}
        {list.isPending && !isCounting ? <TableSkeleton /> : null}
        {list.first && !list.isPending && !isCounting ? (
          <ServerClock time={list.first}>
            {list.ids.length > 0 ? (
              <InstallationTable list={list} search={search} onRunStarted={start} />
            ) : (
              <ListMessage search={search} fleet={fleet} list={list} />
            )}
          </ServerClock>
        ) : null}
      </section>
    </div>
  );
}
