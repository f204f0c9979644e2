import { stripVTControlCharacters } from 'node:util';

/** The text without colours and commands for the terminal: a back end may send them. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\n\P{Cc}]/gu, '');
}
