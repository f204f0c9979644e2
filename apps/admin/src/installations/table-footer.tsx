import { Button, Kbd } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import classes from './installation-table.module.css';
import type { ListSearch } from './list-search.ts';
import { SelectionBar } from './selection-bar.tsx';
import type { InstallationList } from './use-installation-list.ts';
import { useListChanges } from './use-list-changes.ts';
import type { Selection } from './use-selection.ts';

const hints = [
  { keys: ['/'], name: 'search' },
  { keys: ['j', 'k'], name: 'move' },
  { keys: ['x'], name: 'select' },
  { keys: ['Enter'], name: 'open' },
  { keys: ['?'], name: 'all' },
] as const;

export interface TableFooterProps {
  list: InstallationList;
  search: ListSearch;
  selection: Selection;
  /** Indexes of the first and last row in view. */
  range: readonly [number, number];
  onRunStarted: (runId: string) => void;
}

/** The position in the list and its keys, or the selection's bar. Nothing covers rows. */
export function TableFooter(props: TableFooterProps) {
  const { list, search, selection, range, onRunStarted } = props;
  const { t } = useTranslation();
  const { moved, mayHaveChanged } = useListChanges(list, search);
  return (
    <div className={classes.footer}>
      {selection.count > 0 ? (
        <SelectionBar
          selection={selection}
          list={list}
          search={search}
          onRunStarted={onRunStarted}
        />
      ) : (
        <Place list={list} search={search} range={range} />
      )}
      {moved > 0 || mayHaveChanged ? (
        <Button variant="light" size="compact-xs" onClick={list.reload}>
          {moved > 0 ? t('list.moved', { count: moved }) : t('list.mayHaveChanged')}
        </Button>
      ) : null}
      <div className={classes.hints} aria-hidden="true">
        {hints.map(({ keys, name }) => (
          <span key={name}>
            <Kbd size="xs">{keys.join(' ')}</Kbd> {t(`keys.${name}`)}
          </span>
        ))}
      </div>
    </div>
  );
}

function Place({ list, search, range }: Omit<TableFooterProps, 'selection' | 'onRunStarted'>) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { total } = list;
  const known = formats.count(total?.count ?? list.ids.length);
  const isExact = total ? total.isExact : !list.hasMore;
  const number = isExact ? known : t('list.moreThan', { number: known });
  return (
    <span role="status">
      {t('list.place', {
        from: formats.count(range[0] + 1),
        to: formats.count(range[1] + 1),
        number,
        order: t(`${search.direction ? 'sortReversed' : 'sort'}.${search.sort ?? 'broken'}`),
      })}
    </span>
  );
}
