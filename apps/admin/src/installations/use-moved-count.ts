import { useEffect, useMemo, useState } from 'react';
import { useFleetRows } from '../api/fleet-rows.ts';
import { useReadServerNow } from '../shared/ticker.tsx';
import type { ListSearch } from './list-search.ts';
import { matchesSearch } from './matches-search.ts';

/**
 * How many rows would come, go or change their place if the list was loaded again.
 *
 * @param loadedAt when the first page was loaded; a new value begins the count again.
 */
export function useMovedCount(
  ids: readonly string[],
  loadedAt: number | undefined,
  search: ListSearch,
): number {
  const rows = useFleetRows();
  const readNow = useReadServerNow();
  const [moved, setMoved] = useState<{ at: number | undefined; ids: ReadonlySet<string> }>();
  const shown = useMemo(() => new Set(ids), [ids]);

  useEffect(
    () =>
      rows.onChange((changed) => {
        const found = changed.filter((row) => {
          const before = rows.get(row.id);
          // A row does not name its scopes, so one that is not shown may lack the scope.
          if (search.scope !== undefined && !shown.has(row.id)) return false;
          const belongs = matchesSearch(row, search, readNow());
          if (belongs !== shown.has(row.id)) return true;
          return belongs && before?.accessEndsAt !== row.accessEndsAt && search.sort === undefined;
        });
        if (found.length === 0) return;
        setMoved((last) => {
          const known = last && last.at === loadedAt ? last.ids : [];
          return { at: loadedAt, ids: new Set([...known, ...found.map(({ id }) => id)]) };
        });
      }),
    [rows, loadedAt, shown, search, readNow],
  );
  return moved && moved.at === loadedAt ? moved.ids.size : 0;
}
