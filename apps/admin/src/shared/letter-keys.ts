/** Whether single letters act as keys; remembered by this browser (WCAG 2.1.4). */

const storageKey = 'dowel-letter-keys';

export function areLettersOff(storage: Storage): boolean {
  try {
    return storage.getItem(storageKey) === 'off';
  } catch {
    return false;
  }
}

/** A browser that refuses storage keeps the letters on. */
export function switchLetters(storage: Storage, isOn: boolean): void {
  try {
    storage.setItem(storageKey, isOn ? 'on' : 'off');
  } catch {
    // Nothing can be remembered.
  }
}
