import type { FleetInstallation } from '@dowel/admin-api';
import { useEffect, useMemo, useState } from 'react';
import { type FleetRows, type RowChanges, useFleetRows } from '../api/fleet-rows.ts';
import { useFleet } from '../api/use-fleet.ts';
import { useReadServerNow } from '../shared/ticker.tsx';
import { compareRows } from './compare-rows.ts';
import { countLive, type ListSearch } from './list-search.ts';
import { matchesSearch } from './matches-search.ts';
import type { InstallationList } from './use-installation-list.ts';

export interface ListChanges {
  /** How many rows would come, go or change their place among those that are loaded if the list was loaded again. */
  moved: number;
  /** Rows may have come or gone, nobody knows which. */
  mayHaveChanged: boolean;
}

/** Whether a changed row comes to the loaded ones; false: it goes, or changes its place. Undefined: it is in its place. */
type Move = 'comes' | 'other' | undefined;

interface Known {
  /** When the list was loaded; what is known of an older one does not count. */
  at: number | undefined;
  moves: ReadonlyMap<string, NonNullable<Move>>;
  isUnsure: boolean;
}

interface Shown extends Pick<InstallationList, 'ids' | 'hasMore'> {
  indexes: ReadonlyMap<string, number>;
  search: ListSearch;
  rows: FleetRows;
  now: number;
}

/** What a list does not show of the changes since it was loaded. */
export function useListChanges(list: InstallationList, search: ListSearch): ListChanges {
  const { ids, hasMore } = list;
  const loadedAt = list.first?.receivedAt;
  const rows = useFleetRows();
  const readNow = useReadServerNow();
  const [known, setKnown] = useState<Known>();
  const indexes = useMemo(() => new Map(ids.map((id, index) => [id, index])), [ids]);
  const count = countLive(useFleet(), search);

  useEffect(
    () =>
      rows.onChange((changes) => {
        const shown = { ids, hasMore, indexes, search, rows, now: readNow() };
        const found = findMoves(changes, shown);
        // The newest event brings a row to the top, and of most rows the page does not know more.
        const isUnsure =
          changes.isPartial ||
          (search.sort === 'event' && changes.unknown.some(({ lastEventAt }) => lastEventAt));
        setKnown((last) => {
          const before = last?.at === loadedAt ? last : undefined;
          const moves = new Map(before?.moves);
          for (const [id, move] of found) {
            if (move) moves.set(id, move);
            else moves.delete(id);
          }
          return { at: loadedAt, moves, isUnsure: isUnsure || (before?.isUnsure ?? false) };
        });
      }),
    [rows, loadedAt, ids, hasMore, indexes, search, readNow],
  );
  const current = known?.at === loadedAt ? known : undefined;
  const moved = [...(current?.moves ?? [])].filter(
    ([id, move]) => move === 'other' || !indexes.has(id),
  ).length;
  // Rows come and go with the time alone, too: tokens end, installs wait too long.
  const isOtherCount = count !== undefined && !hasMore && !list.isOld && count !== ids.length;
  return { moved, mayHaveChanged: moved === 0 && (isOtherCount || (current?.isUnsure ?? false)) };
}

function findMoves({ rows: changed, gone }: RowChanges, shown: Shown): [string, Move][] {
  return [
    ...changed.map((row): [string, Move] => [row.id, findMove(row, shown)]),
    ...gone.map((id): [string, Move] => [id, shown.indexes.has(id) ? 'other' : undefined]),
  ];
}

function findMove(row: FleetInstallation, shown: Shown): Move {
  const { ids, hasMore, indexes, search, rows, now } = shown;
  const belongs = matchesSearch(row, search, now);
  const index = indexes.get(row.id);
  const compareTo = (id: string | undefined) => {
    const other = rows.get(id ?? '');
    return other ? compareRows(row, other, search) : 0;
  };
  if (index === undefined) {
    // A row does not name its scopes, so one that is not shown may lack the scope.
    if (!belongs || search.scope !== undefined) return undefined;
    return hasMore && compareTo(ids.at(-1)) > 0 ? undefined : 'comes';
  }
  if (!belongs) return 'other';
  const next = ids[index + 1];
  // Rows that are not loaded come after the last one, which may fall behind them.
  const isInPlace =
    compareTo(ids[index - 1]) >= 0 && (next || !hasMore ? compareTo(next) : compareTo(row.id)) <= 0;
  return isInPlace ? undefined : 'other';
}
