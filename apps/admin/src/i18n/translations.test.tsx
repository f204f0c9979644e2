import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { i18nOf } from '../testing/i18n-of.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { createFormats, formatCountdown } from './formats.ts';
import { chooseLanguage, rememberLanguage } from './language.ts';

const sources = join(import.meta.dirname, '..');

/** `{ nav: { main: 'Main' } }` → `[['nav.main', 'Main']]` */
function flatten(texts: object, prefix = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string'
      ? [[prefix + key, value] as [string, string]]
      : flatten(value as object, `${prefix}${key}.`),
  );
}

/** Whole keys, and patterns of those that hold a variable: `` `state.${name}.badge` ``. */
function readUsedKeys(): RegExp[] {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.|i18n\/(?:en|de)/.test(file),
  );
  const text = files.map((file) => readFileSync(join(sources, file), 'utf8')).join('\n');
  const keys = text.matchAll(/(['"`])([a-z]\w*(?:\.(?:\w|\$\{[^}]+\})+)+)\1/g);
  return [...keys].map(([, , key = '']) => {
    const pattern = key.replaceAll('.', '\\.').replaceAll(/\$\{[^}]+\}/g, '[\\w-]+');
    return new RegExp(`^${pattern}(?:_one|_other)?$`);
  });
}

const english = flatten(en);
const variables = (text: string) =>
  [...text.matchAll(/\{\{-? ?(\w+)/g)]
    .map(([, name = '']) => name)
    .toSorted((a, b) => a.localeCompare(b));

describe('the texts', () => {
  it('write numbers as their language does', () => {
    const count = { count: 1_234 };

    expect(i18nOf('de').t('alerts.openCount', count)).toBe('1.234 Alarme sind offen');
    expect(i18nOf('en').t('alerts.openCount', count)).toContain('1,234');
  });

  it('have the same keys in both languages', () => {
    expect(flatten(de).map(([key]) => key)).toEqual(english.map(([key]) => key));
  });

  it('name the same variables in both languages', () => {
    const german = new Map(flatten(de));
    const differing = english.filter(
      ([key, text]) => String(variables(text)) !== String(variables(german.get(key) ?? '')),
    );
    expect(differing).toEqual([]);
  });

  it('call the audit “Protokoll” in German, and nothing else', () => {
    const others = flatten(de).filter(([key, text]) => {
      const isOfLog = /\blogs?\b/i.test(english.find(([each]) => each === key)?.[1] ?? '');
      return isOfLog && text.includes('Protokoll');
    });
    expect(others).toEqual([]);
    expect(flatten(de).filter(([, text]) => /\bAudit\b/.test(text))).toEqual([]);
  });

  it('name no status of an answer, which stands beside them as it was sent', () => {
    const naming = [...english, ...flatten(de)].filter(([, text]) => /\b[45]\d\d\b/.test(text));
    expect(naming).toEqual([]);
  });

  it('are all used', () => {
    const used = readUsedKeys();
    const unused = english.filter(([key]) => !used.some((pattern) => pattern.test(key)));
    expect(unused.map(([key]) => key)).toEqual([]);
  });
});

describe('the language', () => {
  it('is the first of the browser that is known, else English', () => {
    expect(chooseLanguage(['fr-FR', 'de-AT', 'en'])).toBe('de');
    expect(chooseLanguage(['fr-FR'])).toBe('en');
  });

  it('is remembered once it was chosen', () => {
    rememberLanguage('de');
    expect(chooseLanguage(['en'])).toBe('de');
    localStorage.clear();
  });

  it.each([
    ['en', '100,000', '22 Nov 13:47', '2 d 05 h', '1.2 s'],
    ['de', '100.000', '22. Nov. 13:47', '2 T 05 h', '1,2 s'],
  ] as const)(
    '%s writes numbers, dates and durations its own way',
    (language, count, moment, age, duration) => {
      const formats = createFormats(i18nOf(language).t, language);
      expect(formats.count(100_000)).toBe(count);
      expect(formats.moment(new Date(2026, 10, 22, 13, 47).getTime())).toBe(moment);
      expect(formats.age(53 * 3_600_000)).toBe(age);
      expect(formats.duration(1_234)).toBe(duration);
      expect(formatCountdown(72_000)).toBe('1:12');
    },
  );
});
