import { access } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { emulatorSettings } from '../packages/dev/src/platform/emulator-settings.ts';
import { type ReasonEntry, reasonGroups } from '../packages/schema/src/reasons.ts';
import { dowelVariables } from '../packages/server/src/settings/settings.ts';
import { otherVariables } from '../packages/settings/src/index.ts';
import { readChecksPage, renderChecksPage } from './checks-page.ts';
import { readEnvExample, renderEnvExample } from './env-example.ts';
import {
  listFiles,
  listManifests,
  type Row,
  read,
  readRows,
  readThreats,
  readTitles,
} from './read-docs.ts';
import { readErrorsPage, renderReasonTables } from './reason-tables.ts';

const root = new URL('../', import.meta.url);

/** Fails if a row names a file or a test that does not exist. */
async function expectToExist({ files, tests }: Row): Promise<void> {
  expect(files.length).toBeGreaterThan(0);
  expect(tests.length).toBeGreaterThan(0);
  for (const file of files) await read(file);
  for (const { file, title } of tests) expect(readTitles(await read(file))).toContain(title);
}

describe('docs/spec-map.md', async () => {
  const rows = readRows(await read('docs/spec-map.md'));

  test('has one row for every rule of docs/specification.md', async () => {
    const specification = await read('docs/specification.md');
    const rules = [...specification.matchAll(/^- \*\*(§[\d.]+)\*\*/gm)].map(
      ([, rule = '']) => rule,
    );

    expect(rules.length).toBeGreaterThanOrEqual(91);
    expect(rows.map(({ id }) => id)).toEqual(rules);
  });

  test.each(rows)('$id names files and tests that exist', expectToExist);

  test('shows at most four rules by one test', () => {
    const uses = new Map<string, number>();
    for (const { file, title } of rows.flatMap(({ tests }) => tests)) {
      const test = `${file} › ${title}`;
      uses.set(test, (uses.get(test) ?? 0) + 1);
    }

    expect([...uses].filter(([, count]) => count > 4)).toEqual([]);
  });
});

describe('docs/threats.md', async () => {
  const rows = readThreats(await read('docs/threats.md'));
  const ids = rows.flatMap((row) => row.ids);

  test('has a row for every threat and fault that a test is named after', async () => {
    const files = await listFiles('*.test.ts', '*.test.tsx', '*.spec.ts');
    const sources = await Promise.all(files.map(read));
    const titles = sources.flatMap((source) => [
      ...readTitles(source),
      ...[...source.matchAll(/describe\w*\(\s*['`]([^'`]+)/g)].map(([, title = '']) => title),
    ]);
    const named = titles.flatMap((title) => {
      const [prefix = ''] = /^[A-Z]\d{1,2}(?:, [A-Z]\d{1,2})*(?=:| on )/.exec(title) ?? [];
      return prefix === '' ? [] : prefix.split(', ');
    });

    expect(new Set(named).size).toBeGreaterThan(80);
    expect([...new Set(named)].filter((id) => !ids.includes(id))).toEqual([]);
    expect(ids).toHaveLength(new Set(ids).size);
  });

  test.each(rows)('$ids: each has a test that is named after it', async (row) => {
    const sources = await Promise.all(row.tests.map(read));
    const titles = sources.map(readTitles);
    // Titles of a table begin with `%s: `; its rows begin with the id.
    const shows = (index: number, id: string) =>
      titles[index]?.some((title) => isNamedAfter(id, title)) ||
      (titles[index]?.some((title) => title.startsWith('%s: ')) && sources[index]?.includes(id));

    expect(row.ids.filter((id) => !row.tests.some((_, index) => shows(index, id)))).toEqual([]);
    expect(row.tests.filter((_, index) => !row.ids.some((id) => shows(index, id)))).toEqual([]);
  });

  test('names the files of each control', async () => {
    expect(rows.filter(({ files }) => files.length === 0)).toEqual([]);
    for (const file of rows.flatMap(({ files }) => files)) await read(file.replace(/#.*/, ''));
  });
});

/** Whether a title begins with the id, alone or in a list. */
const isNamedAfter = (id: string, title: string) =>
  new RegExp(`^(?:[A-Z]\\d{1,2}, )*${id}(?:, [A-Z]\\d{1,2})*(?:: | on )`).test(title);

describe('docs/glossary.md', async () => {
  const glossary = await read('docs/glossary.md');
  const terms = [...glossary.matchAll(/^\| \*\*([^*]+)\*\* \|/gm)].flatMap(([, cell = '']) =>
    cell.split(', '),
  );

  test('defines each word once', () => {
    expect(terms.length).toBeGreaterThan(40);
    expect(terms).toHaveLength(new Set(terms).size);
  });

  test('defines only words that code or docs use', async () => {
    const files = await listFiles('*.ts', '*.tsx', '*.md');
    const texts = await Promise.all(files.filter((file) => file !== 'docs/glossary.md').map(read));
    const text = texts
      .join('\n')
      .replaceAll(/\s+(?:\*|\/\/)?\s*/g, ' ')
      .toLowerCase();

    expect(terms.filter((term) => !text.includes(term.toLowerCase()))).toEqual([]);
  });

  test('is linked from ARCHITECTURE.md', async () => {
    expect(await read('ARCHITECTURE.md')).toContain('](docs/glossary.md)');
  });
});

describe('docs/dependencies.md', () => {
  test('names every package of every package.json, and no other', async () => {
    const named = listNamed(await read('docs/dependencies.md'));
    const manifests = await Promise.all(
      (await listFiles('package.json', '*/package.json')).map(read),
    );
    const used = manifests.flatMap((text) => {
      const { dependencies, devDependencies, peerDependencies } = JSON.parse(text);
      return Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
    });
    const foreign = used.filter((name) => !/^@(?:dowel|types)\//.test(name));

    expect(named.toSorted()).toEqual([...new Set(foreign)].toSorted());
  });

  test('names for each package of the running product where it is used', async () => {
    const page = await read('docs/dependencies.md');
    const [, table = '', development = ''] = page.split(/^## .+$/m);
    const named = new Map(
      table
        .split('\n')
        .filter((line) => /^\| `(?!node:)/.test(line))
        .flatMap((row) => {
          const [, packages = '', users = ''] = row.split('|');
          const names = [...packages.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
          return names.map((name) => [name, users.trim().split(', ').toSorted()] as const);
        }),
    );

    expect(Object.fromEntries(named)).toEqual(await readRuntimeUsers(listNamed(development)));
  });
});

/** The foreign packages that the first column of a page's tables names. */
function listNamed(page: string): string[] {
  const rows = page.split('\n').filter((line) => /^\| `(?!node:)/.test(line));
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
}

/**
 * The packages and apps that need each foreign package at run time; `emulator` is both, so it has its folder. The
 * dashboard's pages contain their libraries, so `admin` has them among the packages for development. A test runner that is
 * a peer is for development, too.
 */
async function readRuntimeUsers(development: readonly string[]): Promise<Record<string, string[]>> {
  const users: Record<string, string[]> = {};
  for (const file of await listManifests('packages', 'apps')) {
    const [folder = '', name = ''] = file.split('/');
    const { dependencies, devDependencies, peerDependencies } = JSON.parse(await read(file));
    const bundled = name === 'admin' ? devDependencies : {};
    const running = Object.keys({ ...peerDependencies, ...bundled }).filter(
      (each) => !development.includes(each),
    );
    for (const each of [...Object.keys({ ...dependencies }), ...running]) {
      const user = name === 'emulator' ? `${folder}/${name}` : name;
      if (!/^@(?:dowel|types)\//.test(each))
        users[each] = [...(users[each] ?? []), user].toSorted();
    }
  }
  return users;
}

describe('README.md', () => {
  test('names every package and app', async () => {
    const readme = await read('README.md');
    const files = await listManifests('packages', 'apps');
    const folders = files.map((file) => file.replace('/package.json', ''));

    expect(folders.filter((folder) => !readme.includes(`](${folder})`))).toEqual([]);
  });
});

describe('packages/adapter/README.md', () => {
  test('names each limit of a size', async () => {
    const readme = await read('packages/adapter/README.md');
    const [, sizes = ''] = readme.split('## Sizes');
    const named = [...sizes.matchAll(/^\| .+ \| ([\d,]+) \|$/gm)].map(([, bytes = '']) =>
      bytes.replace(',', ''),
    );
    const checked = JSON.parse(await read('packages/adapter/.size-limit.json')) as {
      name: string;
      limit: string;
    }[];
    // One for each bundler, with the same limit.
    const limits = new Map(checked.map(({ name, limit }) => [name.replace(/, \w+$/, ''), limit]));

    expect(named.map((bytes) => `${bytes} B`)).toEqual([...limits.values()]);
  });
});

describe('docs/wire.md', () => {
  test('shows Python that stands in the program', async () => {
    const page = await read('docs/wire.md');
    const program = await read('examples/python/backend.py');
    const blocks = [...page.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code = '']) => code);

    expect(blocks).toHaveLength(2);
    expect(blocks.filter((code) => !program.includes(`\n${code}`))).toEqual([]);
  });
});

describe('docs/benchmarks.md', () => {
  test('has only tables where the benchmarks write', async () => {
    const page = await read('docs/benchmarks.md');
    const sections = [...page.matchAll(/^<!-- ([\w-]+) -->\n(.*?)^<!-- \/\1 -->$/gms)];
    const lines = sections.flatMap(([, , text = '']) => text.split('\n'));

    expect(sections.map(([, name]) => name)).toEqual([
      'events',
      'calls',
      'herd',
      'sustained',
      'store',
      'dashboard',
    ]);
    expect(lines.filter((line) => line !== '' && !line.startsWith('|'))).toEqual([]);
  });
});

test('every page names only files, and scripts of package.json, that exist', async () => {
  const pages = (await listFiles('*.md')).filter((file) => !file.includes('CHANGELOG'));
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: object };
  const lost: string[] = [];
  let named = 0;
  for (const page of pages) {
    const text = await read(page);
    const places = /`((?:apps|packages|proof|scripts|docs|e2e|bench)\/[\w./-]+)(?:#\w+)?`/g;
    for (const [, path = ''] of text.matchAll(places)) {
      named += 1;
      await access(new URL(path, root)).catch(() => lost.push(`${page}: ${path}`));
    }
    for (const [, name = ''] of text.matchAll(/\bpnpm ((?:test|check|lint|build):[\w:-]+)/g)) {
      if (!Object.hasOwn(scripts, name)) lost.push(`${page}: pnpm ${name}`);
    }
  }

  expect(named).toBeGreaterThan(500);
  expect(lost).toEqual([]);
});

test('every source names only decisions that exist', async () => {
  const kept = (await listFiles('docs/decisions/*.md')).map((page) => page.slice(15, 19));
  const sources = await listFiles('*.ts', '*.tsx');
  const texts = await Promise.all(sources.map(read));
  const lost = texts.flatMap((text, index) =>
    [...text.matchAll(/docs\/decisions\/(\d{4})/g)]
      .filter(([, number = '']) => !kept.includes(number))
      .map(([page]) => `${sources[index]}: ${page}`),
  );

  expect(kept.length).toBeGreaterThan(20);
  expect(lost).toEqual([]);
});

describe('ARCHITECTURE.md', () => {
  test('stays a map: at most 120 lines', async () => {
    expect((await read('ARCHITECTURE.md')).split('\n').length).toBeLessThanOrEqual(121);
  });
});

describe('docs/checks.md', () => {
  test('is as pnpm generate writes it', () => {
    expect(readChecksPage()).toBe(renderChecksPage());
  });
});

describe('docs/errors.md', () => {
  test('has the tables that the reasons of packages/schema make', () => {
    const page = readErrorsPage();

    expect(renderReasonTables(page)).toBe(page);
    for (const group of Object.values(reasonGroups)) {
      for (const reason of Object.keys(group)) expect(page).toContain(`| ${reason} |`);
    }
  });

  test('explains every code that the sources know', async () => {
    const errors = await read('docs/errors.md');
    const files = await listFiles('packages/*/src/*.ts');
    const sources = await Promise.all(files.map(read));
    const types = sources
      .join('\n')
      .matchAll(/^export type \w+(?:Error|Fault|Problem|Warning)Code =(.*?);$/gms);
    const statuses = await Promise.all(
      ['packages/server/src/base/errors.ts', 'packages/emulator/src/errors.ts'].map(read),
    );
    const api = statuses.join('\n').matchAll(/^ {2}([A-Z_]+): \d{3},/gm);
    const words = [
      ...[...types].flatMap(([, type = '']) =>
        [...type.matchAll(/'([A-Z][A-Z_\d]+)'/g)].map(([, word = '']) => word),
      ),
      ...[...api].map(([, word = '']) => word),
    ];

    expect(words.length).toBeGreaterThan(80);
    expect(words.filter((word) => !new RegExp(`\\b${word}\\b`).test(errors))).toEqual([]);
  });
});

describe('the settings', () => {
  const settings: readonly string[] = [...dowelVariables, ...Object.keys(emulatorSettings)];

  test('are all explained in .env.example, as pnpm generate writes it', () => {
    expect(readEnvExample()).toBe(renderEnvExample());
  });

  test('that the advice of a refusal names exist', () => {
    const entries = Object.values(reasonGroups).flatMap((group) => Object.values(group));
    const texts = entries.map(({ sentence, fix = '' }: ReasonEntry) => `${sentence} ${fix}`);
    const named = texts.flatMap((text) => text.match(/\bDOWEL_[A-Z_]+/g) ?? []);

    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !settings.includes(name))).toEqual([]);
  });

  test('and the other variables are all that the sources read', async () => {
    const known = [...settings, ...otherVariables];
    const files = await listFiles('*.ts', '*.tsx', '*.mjs', 'package.json');
    const sources = files.filter((file) => !/\.(test|spec)\.ts$/.test(file));
    const texts = await Promise.all(sources.map(read));
    const isRead = /\b(?:env|environment|variables)\.((?:DOWEL|EMULATOR)_[A-Z_]+)/g;
    const names = texts.flatMap((text) => [...text.matchAll(isRead)].map(([, name = '']) => name));

    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});
