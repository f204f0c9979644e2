import { execFileSync } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import {
  backEndSettings,
  emulatorSettings,
  otherVariables,
  storeSettings,
} from '../packages/settings/src/index.ts';

const root = new URL('../', import.meta.url);
const map = await readFile(new URL('docs/spec-map.md', root), 'utf8');
const rows = map
  .split('\n')
  .filter((line) => line.startsWith('| §'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

const read = (path: string) => readFile(new URL(path, root), 'utf8');

describe('docs/spec-map.md', () => {
  test('maps at least one rule of every chapter that has rules', () => {
    const chapters = new Set(rows.map((row) => /§\d/.exec(row[1] ?? '')?.[0]));

    expect([...chapters]).toEqual(['§2', '§3', '§4', '§5', '§7', '§8']);
  });

  test.each(rows)(
    '%#: %s names a file and a test that exist',
    async (_start, _rule, file, shownBy) => {
      const [testFile = '', title = ''] = (shownBy ?? '').split(' › ');

      await read((file ?? '').replaceAll('`', ''));
      const tests = (await read(testFile.replaceAll('`', ''))).match(
        /\b(?:test|it)(?:\.each)?[\s\S]*?=>/g,
      );
      expect(title).not.toBe('');
      expect(tests?.some((test) => test.includes(title))).toBe(true);
    },
  );
});

describe('ARCHITECTURE.md', () => {
  test('names only files that exist', async () => {
    const architecture = await read('ARCHITECTURE.md');
    const paths = [
      ...architecture.matchAll(/`((?:apps|packages|scripts|docs|e2e|bench)\/[\w./-]+)`/g),
    ];

    expect(paths.length).toBeGreaterThan(30);
    for (const [, path = ''] of paths) await access(new URL(path, root));
  });

  test('stays a map: at most 200 lines', async () => {
    expect((await read('ARCHITECTURE.md')).split('\n').length).toBeLessThanOrEqual(200);
  });
});

describe('docs/errors.md', () => {
  test('explains every reason and code that the sources know', async () => {
    const errors = await read('docs/errors.md');
    const sources = await Promise.all([
      read('packages/lifecycle/src/event-answer.ts'),
      read('packages/platform-jwt/src/errors.ts'),
      read('apps/bff/src/api-error.ts'),
      read('packages/installation-store/src/errors.ts'),
    ]);
    const [answers, jwt, api, store] = sources;
    const words = [
      ...answers.matchAll(/^ {2}([a-z_]+): \{/gm),
      ...jwt.matchAll(/^ {2}(?:\| )?'([a-z_]+)'/gm),
      ...api.matchAll(/^ {2}([A-Z_]+): \d{3},/gm),
      ...store.matchAll(/^ {2}\| '([A-Z_]+)'/gm),
    ].map(([, word = '']) => word);

    expect(words.length).toBeGreaterThan(35);
    expect(words.filter((word) => !errors.includes(word))).toEqual([]);
  });
});

describe('the settings', () => {
  const settings: readonly string[] = [...storeSettings, ...backEndSettings, ...emulatorSettings];

  test('are all explained in .env.example, which names nothing else', async () => {
    const text = await read('.env.example');
    const named = [...text.matchAll(/^# ([A-Z_]+)=/gm)].map(([, name = '']) => name);

    expect(named.toSorted()).toEqual(settings.toSorted());
  });

  test('and the other variables are all that the sources read', async () => {
    const known = [...settings, ...otherVariables];
    const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', 'package.json'], {
      cwd: root,
      encoding: 'utf8',
    });
    const sources = files.split('\n').filter((file) => file && !/\.(test|spec)\.ts$/.test(file));
    const texts = await Promise.all(sources.map(read));
    const isRead = /\b(?:env|environment|variables)\.((?:DOWEL|EMULATOR)_[A-Z_]+)/g;
    const names = texts.flatMap((text) => [...text.matchAll(isRead)].map(([, name = '']) => name));

    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});
