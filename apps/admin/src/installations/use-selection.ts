import { useMemo, useState } from 'react';

export type Selection = ReturnType<typeof useSelection>;

/** The rows a person has chosen. @param ids all loaded rows, in their order. */
export function useSelection(ids: readonly string[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [lastIndex, setLastIndex] = useState(0);
  return useMemo(
    () => ({
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
      clear: () => setChosen(new Set()),
    }),
    [chosen, lastIndex, ids],
  );
}
