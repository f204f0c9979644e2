import type { Fleet, StateGroup } from '@dowel/admin-api';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../i18n/formats.ts';
import classes from '../shared/chips.module.css';
import { exactly } from '../shared/exactly.ts';
import { countAll } from '../states/count-all.ts';
import { groupRoles, groups } from '../states/state-looks.ts';
import type { ListSearch } from './list-search.ts';

export interface GroupChipsProps {
  search: ListSearch;
  /** Undefined until the counts are known. */
  fleet: Fleet | undefined;
}

/** One chip for each group of states, with its exact count. */
export function GroupChips({ search, fleet }: GroupChipsProps) {
  const { t } = useTranslation();
  return (
    <nav aria-label={t('list.byState')} className={classes.chips}>
      <GroupChip search={search} count={fleet && countAll(fleet)} />
      {groups.map((group) => (
        <GroupChip key={group} group={group} search={search} count={fleet?.groups[group]} />
      ))}
    </nav>
  );
}

interface GroupChipProps {
  /** Undefined: all. */
  group?: StateGroup;
  search: ListSearch;
  count: number | undefined;
}

function GroupChip({ group, search, count }: GroupChipProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { group: _group, cause, ...rest } = search;
  // A cause without a group is not the whole list.
  const isCurrent = search.group === group && !(cause && !group);
  return (
    <Link
      to="/installations"
      search={group ? { ...rest, group } : rest}
      className={classes.chip}
      aria-current={isCurrent ? 'true' : undefined}
      activeOptions={exactly}
    >
      {group ? (
        <span className={classes.dot} data-tone={groupRoles[group]} aria-hidden="true" />
      ) : null}
      {t(`group.${group ?? 'all'}`)}{' '}
      <span className={classes.count}>{count === undefined ? '' : formats.count(count)}</span>
    </Link>
  );
}
