import type { TFunction } from 'i18next';
import { causeOf } from '../states/cause.ts';
import type { ListSearch } from './list-search.ts';

/** The list's filter in words; undefined for the list of all. */
export function describeFilter(t: TFunction, search: ListSearch): string | undefined {
  const { q, group, cause, age, scope, plugin } = search;
  const words = [
    group ? t(`group.${group}`) : undefined,
    cause ? t(`cause.${causeOf(cause) ?? 'other'}`) : undefined,
    age ? t(`age.${age}`) : undefined,
    scope ? t('list.granted', { scope }) : undefined,
    plugin ? t('list.ofPlugin', { id: plugin }) : undefined,
    q ? t('list.quoted', { text: q }) : undefined,
  ].filter((word) => word !== undefined);
  return words.length === 0 ? undefined : words.join(', ');
}
