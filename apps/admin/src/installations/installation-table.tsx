import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useFleetRows } from '../api/fleet-rows.ts';
import { InstallationRow } from './installation-row.tsx';
import classes from './installation-table.module.css';
import type { ListSearch } from './list-search.ts';
import { RunKeys } from './run-keys.tsx';
import type { RunTarget } from './run-target.ts';
import { TableFooter } from './table-footer.tsx';
import { TableHead } from './table-head.tsx';
import type { InstallationList } from './use-installation-list.ts';
import { useListKeys } from './use-list-keys.ts';
import { type Selection, useSelection } from './use-selection.ts';

const rowHeight = 41;
const cardHeight = 92;
/** The next page is loaded when fewer rows than this are left below the view. */
const ahead = 30;

export interface InstallationTableProps {
  list: InstallationList;
  search: ListSearch;
  onRunStarted: (runId: string) => void;
}

/** Renders only the rows in view: rows on a wide page, cards on a narrow one. */
export function InstallationTable({ list, search, onRunStarted }: InstallationTableProps) {
  const { t } = useTranslation();
  const { ids } = list;
  const rows = useFleetRows();
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useRowsInView(list, scroller);
  const selection = useSelection(ids, search);
  const scrollTo = virtualizer.scrollToIndex;
  const { activeId, setActiveId, focusNext } = useListKeys({ ids, search, selection, scrollTo });

  return (
    <>
      <div ref={scroller} className={classes.scroller}>
        <table
          className={classes.table}
          aria-label={t('nav.installations')}
          aria-rowcount={list.hasMore ? -1 : ids.length + 1}
          aria-busy={list.isOld || undefined}
        >
          <TableHead search={search} selection={selection} />
          <tbody className={classes.body} style={{ height: virtualizer.getTotalSize() }}>
            {virtualizer.getVirtualItems().map(({ index, start, size }) => (
              <InstallationRow
                key={ids[index]}
                id={ids[index] ?? ''}
                index={index}
                start={start}
                height={size}
                isActive={ids[index] === activeId}
                focusNext={focusNext}
                selection={selection}
                onFocus={setActiveId}
              />
            ))}
          </tbody>
        </table>
      </div>
      <RunKeys
        target={findTarget(search, selection, activeId)}
        isPaused={
          search.group === 'paused' ||
          (selection.count === 0 && rows.get(activeId ?? '')?.condition === 'paused')
        }
        onStarted={onRunStarted}
      />
      <TableFooter
        list={list}
        search={search}
        selection={selection}
        onRunStarted={onRunStarted}
        range={[
          virtualizer.range?.startIndex ?? 0,
          Math.min(virtualizer.range?.endIndex ?? 0, ids.length - 1),
        ]}
      />
    </>
  );
}

/** Loads the next page when its rows are near. */
function useRowsInView(
  { ids, loadMore, hasMoreFailed }: InstallationList,
  scroller: RefObject<HTMLDivElement | null>,
) {
  const isNarrow = useMediaQuery('(max-width: 54em)', false, { getInitialValueInEffect: false });
  const virtualizer = useVirtualizer({
    count: ids.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? cardHeight : rowHeight),
    getItemKey: (index) => ids[index] ?? index,
    overscan: 8,
    useFlushSync: false,
  });
  const last = virtualizer.getVirtualItems().at(-1)?.index ?? 0;

  useEffect(() => virtualizer.measure(), [virtualizer, isNarrow]);
  useEffect(() => {
    if (last + ahead >= ids.length && !hasMoreFailed) loadMore();
  }, [last, ids.length, loadMore, hasMoreFailed]);
  return virtualizer;
}

/** Returns the chosen rows, or the row with the frame. */
function findTarget(
  search: ListSearch,
  { chosen, count }: Selection,
  activeId: string | undefined,
): RunTarget | undefined {
  if (count > 0) return { ids: [...chosen], search, count };
  return activeId === undefined ? undefined : { ids: [activeId], search, count: 1 };
}
