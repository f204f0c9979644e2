import { useMemo, useState } from 'react';
import { type ListSearch, toFilter } from './list-search.ts';

const noIds: ReadonlySet<string> = new Set();

export type Selection = ReturnType<typeof useSelection>;

/**
 * The rows a person has chosen. Another filter ends the selection, and a row that leaves the list leaves it.
 *
 * @param ids all loaded rows, in their order.
 */
export function useSelection(ids: readonly string[], search: ListSearch) {
  const filter = JSON.stringify(toFilter(search));
  const [kept, setKept] = useState({ filter, ids: noIds });
  if (kept.filter !== filter) setKept({ filter, ids: noIds });
  const [lastIndex, setLastIndex] = useState(0);
  return useMemo(() => {
    const loaded = new Set(ids);
    const chosen = new Set([...kept.ids].filter((id) => loaded.has(id)));
    const setChosen = (next: ReadonlySet<string>) => setKept({ filter, ids: next });
    return {
      chosen,
      count: chosen.size,
      areAll: chosen.size > 0 && ids.every((id) => chosen.has(id)),
      toggle(index: number): void {
        const id = ids[index];
        if (id === undefined) return;
        setLastIndex(index);
        const next = new Set(chosen);
        if (!next.delete(id)) next.add(id);
        setChosen(next);
      },
      /** From the row that was chosen last to this one. */
      extendTo(index: number): void {
        const range = ids.slice(Math.min(lastIndex, index), Math.max(lastIndex, index) + 1);
        setChosen(new Set([...chosen, ...range]));
        setLastIndex(index);
      },
      all: () => setChosen(new Set(ids)),
      clear: () => setChosen(noIds),
    };
  }, [kept, filter, lastIndex, ids]);
}
