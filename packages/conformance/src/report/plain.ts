import { stripVTControlCharacters } from 'node:util';

/** The text without colours, commands for the terminal and changes of direction: a back end may send them. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\n\P{Cc}]|\p{Bidi_Control}/gu, '');
}

/** The same in one line: a second one could look like a line of the report. */
export function plainLine(text: string): string {
  return plain(text.replaceAll(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ')).trim();
}
