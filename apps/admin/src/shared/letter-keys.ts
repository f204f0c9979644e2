/** The switch for single-letter keys, remembered by this browser (WCAG 2.1.4). */
import { readPreference, savePreference } from '../preferences.ts';

const key = 'dowel-letter-keys';

export function areLettersOff(): boolean {
  return readPreference(key) === 'off';
}

/** A browser that refuses storage keeps the letters on. */
export function switchLetters(isOn: boolean): void {
  savePreference(key, isOn ? 'on' : 'off');
}
