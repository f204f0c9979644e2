import { useNavigate } from '@tanstack/react-router';
import { useCallback, useRef, useState } from 'react';
import { useKeys } from '../shared/use-keys.ts';
import { type ListSearch, toFilter } from './list-search.ts';
import type { Selection } from './use-selection.ts';

export interface ListKeysOptions {
  ids: readonly string[];
  search: ListSearch;
  selection: Selection;
  scrollTo: (index: number) => void;
}

/**
 * j and k move, Enter opens, x selects. The active row has the frame, which ends with the filter. The focus moves with
 * it.
 */
export function useListKeys({ ids, search, selection, scrollTo }: ListKeysOptions) {
  const navigate = useNavigate();
  /** The row that takes the focus once it is shown. */
  const focusNext = useRef<string>(undefined);
  const filter = JSON.stringify(toFilter(search));
  const [frame, setFrame] = useState<{ filter: string; id: string }>();
  const setActiveId = useCallback((id: string) => setFrame({ filter, id }), [filter]);
  if (frame && frame.filter !== filter) setFrame(undefined);
  const found = frame ? ids.indexOf(frame.id) : -1;
  const index = found === -1 ? undefined : found;
  const activeId = index === undefined ? undefined : ids[index];

  function moveTo(next: number): void {
    const bounded = Math.max(0, Math.min(ids.length - 1, next));
    const id = ids[bounded];
    if (id === undefined || id === activeId) return;
    focusNext.current = id;
    setActiveId(id);
    scrollTo(bounded);
  }

  useKeys({
    j: () => moveTo(index === undefined ? 0 : index + 1),
    k: () => moveTo((index ?? 0) - 1),
    x: () => selection.toggle(index ?? 0),
    X: () => selection.extendTo(index ?? 0),
    // Without a selection, the browser closes what is open.
    Escape: () => selection.count > 0 && selection.clear(),
    Enter: () => {
      if (activeId !== undefined)
        void navigate({ to: '/installations/$id', params: { id: activeId } });
    },
  });
  return { activeId, setActiveId, focusNext };
}
