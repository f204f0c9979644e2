import { describe, expect, it } from 'vitest';
import { de } from './de.ts';
import { en } from './en.ts';
import { chooseLanguage, languageKey } from './language.ts';

/** `{ page: { home: 'Home' } }` → `[['page.home', 'Home']]` */
function flatten(texts: object, prefix = ''): [key: string, text: string][] {
  return Object.entries(texts).flatMap(([key, value]: [string, string | object]) =>
    typeof value === 'string' ? [[prefix + key, value]] : flatten(value, `${prefix}${key}.`),
  );
}

const english = flatten(en);
const german = new Map(flatten(de));
const variables = (text = '') => (text.match(/\{\{\w+/g) ?? []).toSorted().join();

/** The texts themselves are no use of a text. */
const sources = Object.values(
  import.meta.glob<string>(['../**/*.{ts,tsx}', '!**/*.test.tsx', '!./{en,de}.ts'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
).join('\n');

describe('the texts', () => {
  it('have the same keys in both languages', () => {
    expect([...german.keys()]).toEqual(english.map(([key]) => key));
  });

  it('name no other variables in German', () => {
    const differing = english.filter(
      ([key, text]) =>
        // The emulator's own message is English.
        variables(text) !== variables(german.get(key)) && text !== '{{message}}',
    );
    expect(differing).toEqual([]);
  });

  it('are all used', () => {
    const isUsed = (key: string) => {
      const group = key.slice(0, key.lastIndexOf('.'));
      return sources.includes(`'${key}'`) || sources.includes(`\`${group}.\${`);
    };
    const unused = english
      .map(([key]) => key.replace(/_(?:one|other)$/, ''))
      .filter((key) => !isUsed(key));
    expect(unused).toEqual([]);
  });
});

describe('the language', () => {
  it('is the first of the browser that is known, else English', () => {
    expect(chooseLanguage(['fr-FR', 'de-AT', 'en'])).toBe('de');
    expect(chooseLanguage(['fr-FR'])).toBe('en');
  });

  it.each([
    ['"de"', 'de'],
    ['"xx"', 'en'],
    ['damaged', 'en'],
  ])('is the one that the browser remembers, if it is one: %s', (remembered, language) => {
    localStorage.setItem(languageKey, remembered);

    expect(chooseLanguage(['en'])).toBe(language);
    localStorage.clear();
  });
});
