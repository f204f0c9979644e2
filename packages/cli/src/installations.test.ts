/** `dowel installations …`, and what lists print, on a real database and back end. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fleetDetailSchema, fleetListSchema } from '@dowel/admin-api';
import type { Store } from '@dowel/installation-store';
import type { Server } from '@dowel/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callCommand } from './testing/call-command.ts';
import { openNewStore } from './testing/open-new-store.ts';
import { startBackEnd } from './testing/start-back-end.ts';

const plugins = ['0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de', '9f2c4a51-20f7-4d0e-8b7e-51b9f1c0a7aa'];
const why = ['--reason', 'the tenant asked for it'];

let folder: string;
let store: Store;
let server: Server;
let acme: string;
let bolt: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
  store = await openNewStore(folder);
  server = await startBackEnd(folder);
  [acme = '', bolt = ''] = await Promise.all(['acme', 'bolt'].map(begin));
  await dowel('pause', bolt, ...why);
  await dowel('name', acme, ...why, '--name', 'Acme \u202e\u2028 Inc');
});

afterAll(async () => {
  await server.close();
  await store.close();
  await rm(folder, { recursive: true });
});

async function begin(name: string, index: number): Promise<string> {
  const key = { issuer: `https://${name}.example.com`, tenantId: `tenant-${name}` };
  const { id } = await store.installations.begin(
    { ...key, pluginId: plugins[index] ?? '' },
    index + 1,
    index + 1,
  );
  return id;
}

function dowel(...args: string[]) {
  return callCommand({ args, folder });
}

/** The ids that a list prints, in its order. */
function idsIn(out: string): string[] {
  return out.split('\n').flatMap((line) => line.split('  ')[0] || []);
}

describe('installations list', () => {
  test.each([
    [['--group', 'paused'], () => [bolt]],
    [['--state', 'no_tokens'], () => [acme]],
    [['--plugin', plugins[0] ?? ''], () => [acme]],
    [['--search', 'bolt.ex'], () => [bolt]],
    [['--sort', 'host'], () => [acme, bolt]],
    [['--sort', 'host', '--direction', 'desc'], () => [bolt, acme]],
  ])('with %j lists what the dashboard lists', async (options, ids) => {
    const { code, out, err } = await dowel('installations', 'list', ...options);

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(idsIn(out)).toEqual(ids());
  });

  test('says how many there are, and continues where it ended', async () => {
    const list = ['installations', 'list', '--sort', 'host', '--limit', '1'];
    const first = await dowel(...list);
    expect(idsIn(first.out)).toEqual([acme]);
    const [, next = ''] =
      /^These are 1 installation of 2\. .* --after (\S+)\n$/.exec(first.err) ?? [];

    const second = await dowel(...list, '--after', next);

    expect(idsIn(second.out)).toEqual([bolt]);
    expect(second.err).toBe('');
  });

  test.each([
    [['--group', 'sick'], '--group: '],
    [['--plugin', 'a'.repeat(65)], '--plugin: '],
    [['--limit', '0'], '--limit: '],
    [['--after', 'nowhere'], 'after'],
    [['--colour', 'red'], "Unknown option '--colour'"],
  ])('with %j is misuse', async (options, message) => {
    const { code, out, err } = await dowel('installations', 'list', ...options);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });
});

test('installations show prints the state with its times in ISO 8601', async () => {
  const { code, out } = await dowel('installations', 'show', bolt);

  expect(code).toBe(0);
  expect(out).toMatch(/^state +paused since \d{4}-\d\d-\d\dT[\d:.]+Z$/m);
  expect(out).toMatch(/^paused +at \S+Z by .*: the tenant asked for it$/m);
  expect(await dowel('installations', 'show', 'none')).toEqual({
    code: 1,
    out: '',
    err: 'There is no such installation\n',
  });
});

/** Replaces times in ISO 8601 by epoch milliseconds, as the API has them. */
function fromIso(text: string): unknown {
  return JSON.parse(text, (_name, value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)
      ? Date.parse(value)
      : value,
  );
}

describe('--json', () => {
  test('prints what the API answers, with its times in ISO 8601', async () => {
    const shown = await dowel('installations', 'show', acme, '--json');
    const listed = await dowel('installations', 'list', '--json');

    const detail = fleetDetailSchema.parse(fromIso(shown.out));
    expect(detail.installation).toMatchObject({ id: acme, beganAt: 1 });
    expect(shown.out).toContain('"beganAt":"1970-01-01T00:00:00.001Z"');
    const { installations } = fleetListSchema.partial().parse(fromIso(listed.out));
    expect(installations).toHaveLength(2);
    expect(`${shown.out}${listed.out}`).not.toMatch(/:\d{13}\b/);
  });

  test('has one line without control characters, and keeps the text', async () => {
    await store.audit.begin({
      role: 'viewer',
      way: 'page',
      from: null,
      action: 'pause',
      who: 'eve\u001b[2K\u202e\u2028',
      target: null,
      reason: null,
      installationId: null,
      runId: null,
    });

    const { out } = await dowel('audit', '--json', '--limit', '1');

    expect(out.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
    expect(JSON.parse(out)).toMatchObject({ entries: [{ who: 'eve\u001b[2K\u202e\u2028' }] });
  });

  test.each(['keys list', 'users list', 'alerts list', 'events', 'audit', 'shapes'])(
    '%s prints one object',
    async (command) => {
      const { code, out } = await dowel(...command.split(' '), '--json');

      expect(code).toBe(0);
      expect(JSON.parse(out)).toBeTypeOf('object');
    },
  );

  test('is unknown where nothing is listed', async () => {
    expect(await dowel('pause', acme, ...why, '--json')).toMatchObject({ code: 2, out: '' });
  });
});

describe('audit', () => {
  test.each([
    [() => ['--action', 'pause', '--installation', bolt], 1],
    [() => ['--action', 'pause', '--installation', acme], 0],
    [() => ['--since', '2999-01-31'], 0],
    [() => ['--installation', acme, '--since', '2001-01-31T08:00:00Z'], 1],
    [() => ['--who', 'nobody-of-this-name'], 0],
  ])('filters by %s', async (options, count) => {
    const { code, out } = await dowel('audit', ...options());

    expect(code).toBe(0);
    expect(idsIn(out)).toHaveLength(count);
  });

  test.each([
    [['--since', 'soon'], '--since must be a date, such as 2027-01-31'],
    [['--limit', '900'], '--limit: '],
    [['--after', 'nowhere'], 'after'],
    [['--installation', ''], '--installation: '],
  ])('with %j is misuse', async (options, message) => {
    const { code, err } = await dowel('audit', ...options);

    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

test('--version prints the version of the package', async () => {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };

  expect(await dowel('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
});
