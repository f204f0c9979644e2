import type { FleetSort } from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import { useTranslation } from 'react-i18next';
import { exactly } from '../shared/exactly.ts';
import classes from './installation-table.module.css';
import { type ListSearch, parseListSearch, reverseOf } from './list-search.ts';
import type { Selection } from './use-selection.ts';

interface Column {
  name: 'state' | 'tenant' | 'cause' | 'brokenFor' | 'began' | 'next' | 'tries';
  sort?: FleetSort;
  isNumber?: boolean;
}

const columns: readonly Column[] = [
  { name: 'state' },
  { name: 'tenant', sort: 'host' },
  { name: 'cause' },
  { name: 'brokenFor', sort: 'broken', isNumber: true },
  { name: 'began', isNumber: true },
  { name: 'next' },
  { name: 'tries', isNumber: true },
];

export function TableHead({ search, selection }: { search: ListSearch; selection: Selection }) {
  const { t } = useTranslation();
  return (
    <thead className={classes.head}>
      <tr aria-rowindex={1} className={classes.row}>
        <th scope="col">
          <span className={classes.name}>{t('list.selectAll')}</span>
          <input
            type="checkbox"
            aria-label={t('list.selectAll')}
            checked={selection.areAll}
            ref={(input) => {
              if (input) input.indeterminate = selection.count > 0 && !selection.areAll;
            }}
            onChange={selection.count > 0 ? selection.clear : selection.all}
          />
        </th>
        {columns.map((column) => (
          <ColumnHead key={column.name} column={column} search={search} />
        ))}
      </tr>
    </thead>
  );
}

function ColumnHead({ column, search }: { column: Column; search: ListSearch }) {
  const { t } = useTranslation();
  const { name, sort } = column;
  const isCurrent = sort === (search.sort ?? 'broken');
  const isReversed = isCurrent && search.direction !== undefined;
  // The longest broken one has the earliest time.
  const usual = sort === 'host' ? 'ascending' : 'descending';
  const reversed = sort === 'host' ? 'descending' : 'ascending';
  const Arrow = isReversed ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      data-number={column.isNumber}
      aria-sort={isCurrent ? (isReversed ? reversed : usual) : undefined}
    >
      {sort ? <span className={classes.name}>{t(`column.${name}`)}</span> : null}
      {sort ? (
        <Link
          to="/installations"
          search={parseListSearch({
            ...search,
            sort,
            direction: isCurrent && !isReversed ? reverseOf(sort) : undefined,
          })}
          className={classes.sort}
          activeOptions={exactly}
        >
          {isCurrent ? <Arrow size={13} aria-hidden="true" /> : null}
          {t(`column.${name}`)}
        </Link>
      ) : (
        t(`column.${name}`)
      )}
    </th>
  );
}
