import type { Fleet } from '@dowel/admin-api';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useFleet } from '../api/use-fleet.ts';
import { useFormats } from '../i18n/formats.ts';
import { exactly } from '../shared/exactly.ts';
import { FirstSteps } from '../shared/first-steps.tsx';
import { describeFilter } from './describe-filter.ts';
import classes from './installations-page.module.css';
import { countLive, type ListSearch } from './list-search.ts';
import type { InstallationList } from './use-installation-list.ts';
import { useListChanges } from './use-list-changes.ts';

export interface ListMessageProps {
  search: ListSearch;
  fleet: Fleet | undefined;
  list: InstallationList;
}

/** Shown instead of an empty list: why it is empty, and what to do. */
export function ListMessage({ search, fleet, list }: ListMessageProps) {
  const { t } = useTranslation();
  const formats = useFormats();
  useEmptyList(list, search);
  const { q, cause, age, scope, plugin } = search;
  const isFiltered = [q, cause, age, scope, plugin].some((each) => each !== undefined);
  if (!isFiltered && search.group === undefined)
    return <FirstSteps manifestUrls={fleet?.manifestUrls ?? []} />;
  const working = fleet?.groups.working ?? 0;
  return (
    <div className={classes.message} role="status">
      <h2>{isFiltered ? t('list.noMatch') : t(`list.none.${search.group ?? 'pending'}`)}</h2>
      <p>
        {isFiltered
          ? describeFilter(t, search, fleet?.causes)
          : t('list.allWork', { count: working, number: formats.count(working) })}
      </p>
      {list.hasMore ? (
        <Button variant="default" onClick={list.loadMore}>
          {t('list.searchOn')}
        </Button>
      ) : (
        <Link to="/installations" activeOptions={exactly}>
          {t('list.clear')}
        </Link>
      )}
    </div>
  );
}

/** Loads the list again when rows may have come: nothing is being read here that they could push away. */
function useEmptyList(list: InstallationList, search: ListSearch) {
  const { moved, mayHaveChanged } = useListChanges(list, search);
  const isDue = !list.isOld && (moved > 0 || mayHaveChanged);
  const refetch = useEffectEvent(list.refetch);
  // If the answer is empty again, only another count asks once more.
  const count = countLive(useFleet(), search);
  useEffect(() => {
    if (isDue) refetch();
  }, [isDue, count]);
}
