import type { TFunction } from 'i18next';
import { causeOf } from '../states/cause.ts';
import type { ListSearch } from './list-search.ts';

/** The list's filter in words; undefined for the list of all. */
export function describeFilter(t: TFunction, { q, group, cause }: ListSearch): string | undefined {
  const words = [
    group ? t(`group.${group}`) : undefined,
    cause ? t(`cause.${causeOf(cause) ?? 'other'}`) : undefined,
    q ? t('list.quoted', { text: q }) : undefined,
  ].filter((word) => word !== undefined);
  return words.length === 0 ? undefined : words.join(', ');
}
