import type { Fleet } from '@dowel/admin-api';
import { NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ages, type ListSearch, parseListSearch } from './list-search.ts';
import { PluginFilter } from './plugin-filter.tsx';

export interface FilterChoicesProps {
  search: ListSearch;
  fleet: Pick<Fleet, 'scopes' | 'pluginIds'>;
}

/**
 * Filters by how long installations have been without access, by a granted scope and, if there are several, by
 * plug-in.
 */
export function FilterChoices({ search, fleet }: FilterChoicesProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const choose = (changed: Record<string, string>) => {
    const next = parseListSearch({ ...search, ...changed });
    void navigate({ to: '/installations', search: next, replace: true, resetScroll: false });
  };
  // A link may name a scope that no manifest asks for any more, or a plug-in without installations.
  const scopes = new Set([...fleet.scopes, ...(search.scope ? [search.scope] : [])]);
  const plugins = new Set([...fleet.pluginIds, ...(search.plugin ? [search.plugin] : [])]);
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
      {scopes.size > 0 ? (
        <NativeSelect
          size="xs"
          aria-label={t('list.byScope')}
          value={search.scope ?? ''}
          onChange={({ currentTarget }) => choose({ scope: currentTarget.value })}
          data={[
            { value: '', label: t('list.anyScope') },
            ...[...scopes].map((scope) => ({ value: scope, label: t('list.granted', { scope }) })),
          ]}
        />
      ) : null}
      {plugins.size > 1 ? (
        <PluginFilter ids={[...plugins]} chosen={search.plugin ?? ''} choose={choose} />
      ) : null}
    </>
  );
}
