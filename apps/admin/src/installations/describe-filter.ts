import type { Fleet } from '@dowel/admin-api';
import type { TFunction } from 'i18next';
import { nameReasons } from '../states/cause.ts';
import type { ListSearch } from './list-search.ts';

/**
 * The list's filter in words; undefined for the list of all.
 *
 * @param causes all of the fleet: a cause is named as on its chip, apart from others like it.
 */
export function describeFilter(
  t: TFunction,
  search: ListSearch,
  causes: Fleet['causes'] = [],
): string | undefined {
  const { q, group, cause, age, scope, plugin } = search;
  const words = [
    group ? t(`group.${group}`) : undefined,
    cause ? nameCause(t, cause, causes) : undefined,
    age ? t(`age.${age}`) : undefined,
    scope ? t('list.granted', { scope }) : undefined,
    plugin ? t('list.ofPlugin', { id: plugin }) : undefined,
    q ? t('list.quoted', { text: q }) : undefined,
  ].filter((word) => word !== undefined);
  return words.length === 0 ? undefined : words.join(', ');
}

function nameCause(t: TFunction, reason: string, causes: Fleet['causes']): string {
  const reasons = new Set([...causes.map(({ cause }) => cause), reason]);
  return nameReasons(t, [...reasons]).get(reason) ?? reason;
}
