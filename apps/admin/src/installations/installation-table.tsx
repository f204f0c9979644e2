import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { InstallationRow } from './installation-row.tsx';
import classes from './installation-table.module.css';
import type { ListSearch } from './list-search.ts';
import { TableFooter } from './table-footer.tsx';
import { TableHead } from './table-head.tsx';
import type { InstallationList } from './use-installation-list.ts';
import { useListKeys } from './use-list-keys.ts';
import { useSelection } from './use-selection.ts';

const rowHeight = 41;
const cardHeight = 92;
/** Rows that are left below the view when the next page is loaded. */
const ahead = 30;

export interface InstallationTableProps {
  list: InstallationList;
  search: ListSearch;
  onRunStarted: (runId: string) => void;
}

/** Only the rows in view are in the document. Rows on a wide page, cards on a narrow one. */
export function InstallationTable({ list, search, onRunStarted }: InstallationTableProps) {
  const { t } = useTranslation();
  const { ids, loadMore } = list;
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useMediaQuery('(max-width: 54em)', false, { getInitialValueInEffect: false });
  const virtualizer = useVirtualizer({
    count: ids.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? cardHeight : rowHeight),
    getItemKey: (index) => ids[index] ?? index,
    overscan: 8,
    useFlushSync: false,
  });
  const selection = useSelection(ids);
  const active = useListKeys({ ids, selection, scrollTo: virtualizer.scrollToIndex });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;

  useEffect(() => virtualizer.measure(), [virtualizer, isNarrow]);
  useEffect(() => {
    if (last + ahead >= ids.length) loadMore();
  }, [last, ids.length, loadMore]);

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
            {items.map(({ index, start, size }) => (
              <InstallationRow
                key={ids[index]}
                id={ids[index] ?? ''}
                index={index}
                start={start}
                height={size}
                isActive={active.index === index}
                selection={selection}
                onFocus={active.setIndex}
              />
            ))}
          </tbody>
        </table>
      </div>
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
