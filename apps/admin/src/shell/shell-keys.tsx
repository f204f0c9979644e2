import { useNavigate } from '@tanstack/react-router';
import { lazy, useRef, useState } from 'react';
import { LatePart } from '../shared/late-part.tsx';
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

  /** Without a g before it, a letter belongs to the page. */
  function goTo(to: (typeof places)[number]['to']): boolean {
    if (performance.now() - goPressedAt.current > sequenceMs) return false;
    goPressedAt.current = Number.NEGATIVE_INFINITY;
    void navigate({ to });
    return true;
  }

  const keys = {
    '?': () => setIsListOpen(true),
    g: () => {
      goPressedAt.current = performance.now();
    },
    ...Object.fromEntries(places.map(({ to, letter }) => [letter, () => goTo(to)])),
  };
  useKeys(keys, true);

  if (!isListOpen) return null;
  const close = () => setIsListOpen(false);
  return (
    <LatePart onClose={close}>
      <KeyList onClose={close} />
    </LatePart>
  );
}
