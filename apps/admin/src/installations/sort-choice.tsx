import { type FleetSort, fleetSortSchema } from '@dowel/schema';
import { NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type ListSearch, parseListSearch } from './list-search.ts';

export function SortChoice({ search }: { search: ListSearch }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const sorts: readonly FleetSort[] = fleetSortSchema.options;
  return (
    <NativeSelect
      size="xs"
      aria-label={t('list.sort')}
      value={search.sort ?? 'broken'}
      onChange={({ currentTarget }) => {
        const next = parseListSearch({ ...search, sort: currentTarget.value });
        void navigate({ to: '/installations', search: next, replace: true, resetScroll: false });
      }}
      data={sorts.map((sort) => ({ value: sort, label: t(`sort.${sort}`) }))}
    />
  );
}
