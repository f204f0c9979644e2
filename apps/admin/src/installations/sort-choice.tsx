import { type FleetSort, fleetSortSchema } from '@dowel/admin-api';
import { NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type ListSearch, parseListSearch, reverseOf } from './list-search.ts';

export function SortChoice({ search }: { search: ListSearch }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const sorts: readonly FleetSort[] = fleetSortSchema.options;
  const { sort: current = 'broken', direction } = search;
  return (
    <NativeSelect
      size="xs"
      aria-label={t('list.sort')}
      value={direction ? `${current} ${direction}` : current}
      onChange={({ currentTarget }) => {
        const [sort, changed] = currentTarget.value.split(' ');
        const next = parseListSearch({ ...search, sort, direction: changed });
        void navigate({ to: '/installations', search: next, replace: true, resetScroll: false });
      }}
      data={sorts.flatMap((sort) => [
        { value: sort, label: t(`sort.${sort}`) },
        { value: `${sort} ${reverseOf(sort)}`, label: t(`sortReversed.${sort}`) },
      ])}
    />
  );
}
