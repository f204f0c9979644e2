import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useKeys } from '../shared/use-keys.ts';
import type { Selection } from './use-selection.ts';

export interface ListKeysOptions {
  ids: readonly string[];
  selection: Selection;
  scrollTo: (index: number) => void;
}

/** j and k move, Enter opens, x selects. The active row has the frame. */
export function useListKeys({ ids, selection, scrollTo }: ListKeysOptions) {
  const navigate = useNavigate();
  const [index, setIndex] = useState<number>();

  function moveTo(next: number): void {
    const bounded = Math.max(0, Math.min(ids.length - 1, next));
    setIndex(bounded);
    scrollTo(bounded);
  }

  useKeys({
    j: () => moveTo(index === undefined ? 0 : index + 1),
    k: () => moveTo((index ?? 0) - 1),
    x: () => selection.toggle(index ?? 0),
    X: () => selection.extendTo(index ?? 0),
    Escape: selection.clear,
    Enter: () => {
      const id = index === undefined ? undefined : ids[index];
      if (id !== undefined) void navigate({ to: '/installations/$id', params: { id } });
    },
  });
  return { index, setIndex };
}
