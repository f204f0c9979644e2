import { stripVTControlCharacters } from 'node:util';

/** The text without colours, commands for the terminal and changes of its direction: a back end may send them. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\n\P{Cc}]|\p{Bidi_C}/gu, '');
}
