import { useEffect, useEffectEvent } from 'react';
import { areLettersOff } from './letter-keys.ts';

/** If an action returns false, other listeners get the key. */
export type KeyMap = Readonly<Record<string, () => unknown>>;

/**
 * Listens for single keys of the page. They are silent in fields, in dialogs and with a modifier, and letters
 * can be switched off (WCAG 2.1.4).
 *
 * @param keys by `KeyboardEvent.key`, so `X` is shift and x.
 * @param comesFirst true: before the keys of the shown page.
 */
export function useKeys(keys: KeyMap, comesFirst = false): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (!action || isTyping(event)) return;
    if (/^\p{L}$|^[/?[\]]$/u.test(event.key) && areLettersOff()) return;
    if (action() !== false) event.preventDefault();
  });

  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    document.addEventListener('keydown', listen, comesFirst);
    return () => document.removeEventListener('keydown', listen, comesFirst);
  }, [comesFirst]);
}

/** True in a field, a dialog, or on a control that uses the key itself. A dialog that has just opened has no focus yet. */
function isTyping({ target, key }: KeyboardEvent): boolean {
  if (document.querySelector('[role=dialog][aria-modal=true]')) return true;
  if (!(target instanceof Element)) return false;
  if (target.closest('input:not([type=checkbox]), textarea, select, [role=dialog]')) return true;
  return key === 'Enter' && target.closest('a, button') !== null;
}
