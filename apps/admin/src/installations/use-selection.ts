import { useMemo, useState } from 'react';
import { type ListSearch, toFilter } from './list-search.ts';

const noIds: ReadonlySet<string> = new Set();

interface Kept {
  filter: string;
  ids: ReadonlySet<string>;
  /** The row that was chosen last. */
  last?: string | undefined;
}

export type Selection = ReturnType<typeof useSelection>;

/**
 * The rows a person has chosen. Another filter ends the selection, and a row that leaves the list leaves it.
 *
 * @param ids all loaded rows, in their order.
 */
export function useSelection(ids: readonly string[], search: ListSearch) {
  const filter = JSON.stringify(toFilter(search));
  const [kept, setKept] = useState<Kept>({ filter, ids: noIds });
  if (kept.filter !== filter) setKept({ filter, ids: noIds });
  return useMemo(() => {
    const loaded = new Set(ids);
    const chosen = new Set([...kept.ids].filter((id) => loaded.has(id)));
    const setChosen = (next: ReadonlySet<string>, last?: string) =>
      setKept({ filter, ids: next, last });
    return {
      chosen,
      count: chosen.size,
      areAll: chosen.size > 0 && ids.every((id) => chosen.has(id)),
      toggle(index: number): void {
        const id = ids[index];
        if (id === undefined) return;
        const next = new Set(chosen);
        if (!next.delete(id)) next.add(id);
        setChosen(next, id);
      },
      /** From the row that was chosen last to this one; this one alone, if that row is not in the list. */
      extendTo(index: number): void {
        const last = ids.indexOf(kept.last ?? '');
        const from = last === -1 ? index : last;
        const range = ids.slice(Math.min(from, index), Math.max(from, index) + 1);
        setChosen(new Set([...chosen, ...range]), ids[index]);
      },
      all: () => setChosen(new Set(ids)),
      clear: () => setChosen(noIds),
    };
  }, [kept, filter, ids]);
}
