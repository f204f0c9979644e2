import { NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ages, type ListSearch, parseListSearch } from './list-search.ts';

export interface FilterChoicesProps {
  search: ListSearch;
  /** Those that the manifests ask for. */
  scopes: readonly string[];
}

/** Filters by how long installations have been without access, and by a granted scope. */
export function FilterChoices({ search, scopes }: FilterChoicesProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const choose = (changed: Record<string, string>) => {
    const next = parseListSearch({ ...search, ...changed });
    void navigate({ to: '/installations', search: next, replace: true, resetScroll: false });
  };
  // A link may name a scope that no manifest asks for any more.
  const offered = new Set([...scopes, ...(search.scope ? [search.scope] : [])]);
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('list.byAge')}
        value={search.age ?? ''}
        onChange={({ currentTarget }) => choose({ age: currentTarget.value })}
        data={[
          { value: '', label: t('list.anyAge') },
          ...ages.map((age) => ({ value: age, label: t(`age.${age}`) })),
        ]}
      />
      {offered.size > 0 ? (
        <NativeSelect
          size="xs"
          aria-label={t('list.byScope')}
          value={search.scope ?? ''}
          onChange={({ currentTarget }) => choose({ scope: currentTarget.value })}
          data={[
            { value: '', label: t('list.anyScope') },
            ...[...offered].map((scope) => ({ value: scope, label: t('list.granted', { scope }) })),
          ]}
        />
      ) : null}
    </>
  );
}
