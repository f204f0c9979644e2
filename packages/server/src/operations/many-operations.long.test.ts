/** The types of a large table: their cost for the compiler, and the files that the page's program must read. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const count = 200;
/** The compiler takes seconds, and the machine may be shared. */
const patienceMs = 600_000;
let folder: string;
/** The compiler's output for the large table, and for a table with one operation. */
let output: string;
let ofOne: string;

beforeAll(async () => {
  const parent = `${root}/packages/server/node_modules/.types`;
  await mkdir(parent, { recursive: true });
  folder = await mkdtemp(`${parent}/many-`);
  await writeFile(`${folder}/operations.ts`, renderOperations(count));
  await writeFile(`${folder}/one.ts`, renderOperations(1));
  await writeFile(`${folder}/page.ts`, renderPage());
  const compilerOptions = {
    declaration: true,
    emitDeclarationOnly: true,
    noEmit: false,
    rootDir: root,
    outDir: `${folder}/out`,
  };
  const extend = `${root}/tsconfig.base.json`;
  const config = { extends: extend, compilerOptions, files: ['operations.ts'] };
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify(config));
  output = await compile('-p', folder, '--extendedDiagnostics');
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify({ ...config, files: ['one.ts'] }));
  ofOne = await compile(
    '-p',
    folder,
    '--extendedDiagnostics',
    '--noEmit',
    '--emitDeclarationOnly',
    'false',
  );
}, patienceMs);

afterAll(() => rm(folder, { recursive: true }));

async function compile(...options: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(`${root}/node_modules/.bin/tsc`, options);
  return stdout;
}

function renderOperations(length: number): string {
  const definitions = Array.from(
    { length },
    (_, index) => `  operation${index}: defineOperation({
    input: z.object({ id: z.string(), at: z.int(), tags: z.array(z.string()).optional(), kind${index}: z.enum(['a', 'b']) }),
    output: z.object({ id: z.string(), items: z.array(z.object({ name: z.string(), n${index}: z.number().nullable() })) }),
    scopes: ['plugin:notify'],
    errors: { CODE_${index}: 409, NOT_OPEN: 410 },
    run: async ({ input, platform, fail }) => {
      if (input.at === ${index}) fail('CODE_${index}', 'no');
      await platform.fetch('/api/things');
      return { id: input.id, items: [{ name: 'x', n${index}: null }] };
    },
  }),`,
  );
  return [
    "import { defineOperation } from '@dowel/server';",
    "import { z } from 'zod';",
    'export const operations = {',
    ...definitions,
    '};',
    '',
  ].join('\n');
}

function renderPage(): string {
  const calls = Array.from(
    { length: count },
    (
      _,
      index,
    ) => `  const result${index} = await client.operation${index}.safe({ id: '', at: ${index}, kind${index}: 'a' });
  if (!result${index}.ok && result${index}.error.code === 'CODE_${index}') return result${index}.error.status;
  if (result${index}.ok) result${index}.value.items.map(({ n${index} }) => n${index}?.toFixed());`,
  );
  return [
    "import { createClient } from '@dowel/adapter/client';",
    "import type { operations } from './operations.js';",
    'export async function callAll(adapter: { fetch: (path: string, init: RequestInit) => Promise<Response> }) {',
    '  const client = createClient<typeof operations>(adapter);',
    '  // @ts-expect-error no such kind',
    "  void client.operation7({ id: '', at: 7, kind7: 'c' });",
    ...calls,
    '  return 0;',
    '}',
    '',
  ].join('\n');
}

function countOf(name: string, diagnostics: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(diagnostics)?.[1]);
}

const place = () => `${folder}/out/${folder.slice(root.length)}`;

test('S24: 200 operations take a bounded number of type instantiations', () => {
  // The sources of the server are in both programs.
  const more = countOf('Instantiations', output) - countOf('Instantiations', ofOne);
  expect(more).toBeGreaterThan(10_000);
  expect(more).toBeLessThan(count * 3_000);
});

test('S24: the declarations of a table name no package', async () => {
  const declarations = await readFile(`${place()}/operations.d.ts`, 'utf8');
  expect(declarations).toContain('operation199');
  expect(declarations).toContain('"CODE_199"');
  expect(declarations).not.toMatch(/import|zod|dowel/);
});

test('a page reads a table’s declarations without zod, Node or the server', {
  timeout: patienceMs,
}, async () => {
  const compilerOptions = {
    types: [],
    lib: ['es2024', 'dom', 'dom.iterable'],
    skipLibCheck: false,
    allowImportingTsExtensions: true,
    paths: { '@dowel/adapter/client': [`${root}/packages/adapter/src/client/index.ts`] },
    noEmit: true,
  };
  const extend = `${root}/tsconfig.web.json`;
  const config = { extends: extend, compilerOptions, files: ['page.ts'] };
  await writeFile(`${place()}/page.ts`, renderPage());
  await writeFile(`${place()}/tsconfig.json`, JSON.stringify(config));

  const diagnostics = await compile('-p', place(), '--extendedDiagnostics', '--listFiles');

  expect(diagnostics).not.toMatch(/\/(zod|undici-types|@types)\/|packages\/server\/src/);
  expect(countOf('Instantiations', diagnostics)).toBeLessThan(100_000);
});
