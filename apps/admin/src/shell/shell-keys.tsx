import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { places } from '../shared/places.ts';
import { useKeys } from '../shared/use-keys.ts';

const KeyList = lazy(async () => ({
  default: (await import('../palette/key-list.tsx')).KeyList,
}));

const sequenceMs = 1_500;

/** The keys that every page has: ? lists all keys, g and a letter go to a page. */
export function ShellKeys() {
  const navigate = useNavigate();
  const [isListOpen, setIsListOpen] = useState(false);
  const goPressedAt = useRef(Number.NEGATIVE_INFINITY);

  /** False: no g came before, so the letter may be a key of the page. */
  function goTo(to: (typeof places)[number]['to']): boolean {
    const isSequence = performance.now() - goPressedAt.current < sequenceMs;
    goPressedAt.current = Number.NEGATIVE_INFINITY;
    if (isSequence) void navigate({ to });
    return isSequence;
  }

  useKeys({
    '?': () => setIsListOpen(true),
    g: () => {
      goPressedAt.current = performance.now();
    },
    ...Object.fromEntries(places.map(({ to, letter }) => [letter, () => goTo(to)])),
  });

  if (!isListOpen) return null;
  return (
    <Suspense>
      <KeyList onClose={() => setIsListOpen(false)} />
    </Suspense>
  );
}
