/** The messages of a start, on real processes: one line for each problem. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyring, openStore } from '@dowel/installation-store';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { root, runProcess, startProcess } from './testing/start-process.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-messages-'));
});

afterEach(() => rm(folder, { recursive: true }));

const start = (settings: Record<string, string> = {}) => runProcess({ dataDir: folder, settings });

async function writeManifest(changes: object): Promise<string> {
  const manifest = JSON.parse(await readFile(join(root, 'manifest.json'), 'utf8')) as object;
  const path = join(folder, 'own-manifest.json');
  await writeFile(path, JSON.stringify({ ...manifest, ...changes }));
  return path;
}

const lifecycleAt = (url: string) => ({
  lifecycle: { url, events: ['install', 'uninstall', 'instance_add', 'instance_remove'] },
});

/** The start fails and prints only this line. */
async function expectOneLine(settings: Record<string, string>, line: string | RegExp) {
  const { code, err } = await start(settings);
  expect(code).toBe(1);
  expect(err).toMatch(/^[^\n]+\n$/);
  if (typeof line === 'string') expect(err).toBe(`${line}\n`);
  else expect(err).toMatch(line);
}

describe('one line says what is wrong', () => {
  test('with an unknown setting', () =>
    expectOneLine(
      { DOWEL_TRSUT: 'https://a.example=https://keys.example/' },
      'DOWEL_TRSUT is no setting: did you mean DOWEL_TRUST?',
    ));

  test('with a trust key file that does not exist', () =>
    expectOneLine(
      { DOWEL_TRUST: 'https://a.example=file:/nowhere/acme.pem#RS512' },
      'DOWEL_TRUST: The key file "/nowhere/acme.pem" cannot be read: there is no such file',
    ));

  test.each(['203.0.113.7', 'name.invalid'])('with the host %s, which is not ours', (host) =>
    expectOneLine(
      { DOWEL_HOST: host },
      /^DOWEL_HOST: [\w.]+ is no address of this machine \(E\w+\)\. Write 127\.0\.0\.1 /,
    ),
  );

  test('with a host that is a URL', () =>
    expectOneLine(
      { DOWEL_HOST: 'http://localhost' },
      'DOWEL_HOST must be an address or a name of this machine, such as 127.0.0.1 or 0.0.0.0',
    ));

  test.each(['file', 'file/below'])('with a data folder that cannot be made: %s', async (path) => {
    await writeFile(join(folder, 'file'), '');
    const dataDir = join(folder, path);

    await expectOneLine(
      { DOWEL_DATA_DIR: dataDir },
      `The data folder ${dataDir} cannot be used: a part of the path is a file (ENOTDIR). Choose another with DOWEL_DATA_DIR.`,
    );
  });

  test('with a manifest that does not exist', () =>
    expectOneLine(
      { DOWEL_MANIFEST: '/nowhere/manifest.json' },
      'DOWEL_MANIFEST: the manifest /nowhere/manifest.json cannot be read: it does not exist (ENOENT).',
    ));

  test('with a public URL whose path would be dropped', () =>
    expectOneLine(
      { DOWEL_PUBLIC_URL: 'https://plugin.example/dowel' },
      /^DOWEL_PUBLIC_URL must be an origin without a path/,
    ));

  test('with an essential scope that the manifest does not ask for', () =>
    expectOneLine(
      { DOWEL_ESSENTIAL_SCOPES: 'plugin:notify,plugin:read' },
      'DOWEL_ESSENTIAL_SCOPES: the manifest does not ask for plugin:read: add it to apiAccess.client.scope, or remove it here.',
    ));

  test('with a file that is not a database, and what to do', async () => {
    await writeFile(join(folder, 'dowel.sqlite'), 'no database'.repeat(1_000));

    await expectOneLine(
      {},
      /^The database \S+dowel\.sqlite cannot be used: file is not a database\. It is damaged, or not a database of Dowel\. Stop Dowel and move the file away/,
    );
  });

  test('with rows that cannot be decrypted although the key is right, and keeps the key file', async () => {
    const bytes = randomBytes(32);
    const keyring = createKeyring(bytes);
    const path = join(folder, 'dowel.sqlite');
    await (await openStore({ path, keyring })).close();
    const keyText = `${Buffer.from(bytes).toString('base64url')}\n`;
    await writeFile(join(folder, 'encryption.key'), keyText, { mode: 0o600 });
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(path);
    database.exec("update key_checks set value_sealed = substr(value_sealed, 1, 40) || 'AAAA'");
    database.close();

    await expectOneLine(
      {},
      /^The key file has the key of the database .* Leave the key file as it is, and put a copy of the database back\./,
    );
  });
});

describe('a manifest whose events cannot arrive', () => {
  test('is refused, with the URL that the platform would call', async () => {
    const manifest = await writeManifest(lifecycleAt('https://hooks.example.com/events/'));
    const { code, err } = await start({ DOWEL_MANIFEST: manifest });

    expect(code).toBe(1);
    expect(err).toMatch(
      /own-manifest\.json: the platform would post install to https:\/\/hooks\.example\.com\/events\/install, and this back end is at http:\/\/localhost:\d+\..*DOWEL_EVENT_PATH\.\n/,
    );
    expect(err.trim().split('\n')).toHaveLength(4);
  });

  test('is accepted when a proxy sends them here', async () => {
    const manifest = await writeManifest(lifecycleAt('https://hooks.example.com/events/'));
    const { code, err } = await start({ DOWEL_MANIFEST: manifest, DOWEL_EVENT_PATH: '/in/' });

    expect(code).toBe(0);
    expect(err).toContain(
      'Receives install at https://hooks.example.com/events/install, which a proxy sends to /in/ here\n',
    );
  });
});

describe('a manifest whose base URL has a query or a fragment', () => {
  test.each(['events/?plug-in=1', 'events#here', 'events/?'])(
    'is refused in one line: %s',
    async (url) => {
      for (const eventPath of ['', '/in/']) {
        const manifest = await writeManifest(lifecycleAt(url));

        await expectOneLine(
          { DOWEL_MANIFEST: manifest, DOWEL_EVENT_PATH: eventPath, DOWEL_LOG_LEVEL: 'error' },
          /own-manifest\.json: lifecycle\.url has a query or a fragment, and the platform appends the event's name to the URL: the name would become a part of the query or fragment\. Remove everything from "\?" or "#" on\.\n$/,
        );
      }
    },
  );

  test('is refused for each of the two URLs', async () => {
    const client = { mode: ['authorization_code'], scope: ['plugin:notify'] };
    const manifest = await writeManifest({
      ...lifecycleAt('events?a'),
      apiAccess: { url: 'events?b', client },
    });

    const { code, err } = await start({ DOWEL_MANIFEST: manifest });

    expect(code).toBe(1);
    expect(err.match(/(?:lifecycle|apiAccess)\.url has a query/g)).toEqual([
      'lifecycle.url has a query',
      'apiAccess.url has a query',
    ]);
  });
});

describe('a start says', () => {
  test('at which URL it receives each event, one line each', async () => {
    const manifest = await writeManifest(lifecycleAt('events'));
    const { err, port } = await start({ DOWEL_MANIFEST: manifest });

    const lines = err.split('\n').filter((line) => line.startsWith('Receives'));
    expect(lines).toEqual([
      `Receives install at http://localhost:${port}/events/install`,
      `Receives uninstall at http://localhost:${port}/events/uninstall`,
      `Receives instance_add at http://localhost:${port}/events/instance_add`,
      `Receives instance_remove at http://localhost:${port}/events/instance_remove`,
      `Receives access_token at http://localhost:${port}/lifecycle/access_token`,
    ]);
  });

  test('loudly that no issuer is trusted, and nothing if one is', async () => {
    const { err } = await start();
    expect(err).toMatch(/^DOWEL_TRUST is not set: no platform is believed, so every event/);

    const trusting = await start({ DOWEL_TRUST: 'https://a.example=https://keys.example/' });
    expect(trusting.err).toMatch(/^Dowel is at /);
    expect(trusting.err).not.toContain('DOWEL_TRUST');
  });

  test('that it waits for an unavailable database, at every log level', async () => {
    // Nothing listens at the port of tcpmux.
    const port = 1;
    const { code, err } = await start({
      DOWEL_DATABASE_URL: `postgres://dowel:s3cret@127.0.0.1:${port}/dowel`,
      DOWEL_LOG_LEVEL: 'silent',
    });

    expect(code).toBe(0);
    expect(err).toBe(
      `Waiting: The database dowel at 127.0.0.1:${port} cannot be used now: connect ECONNREFUSED 127.0.0.1:${port}\n`,
    );
  });

  test('on standard error how to sign in and until when, also after each sign-in; standard output is only the log', async () => {
    const { child, output, closed, port } = await startProcess({ dataDir: folder });
    const links = () => [...output.err.matchAll(/(.*) (http\S+)#code=(\S+)$/gm)];
    const [first] = links();
    expect(first?.[1]).toMatch(/^Sign in once, until \d{4}-\d\d-\d\d \d\d:\d\d UTC, at$/);

    const signIn = await fetch(`http://localhost:${port}/admin/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-dowel-csrf': '1' },
      body: JSON.stringify({ code: first?.[3] }),
    });
    await vi.waitFor(() => expect(links()).toHaveLength(2), { timeout: 30_000 });
    child.kill('SIGTERM');
    await closed;

    expect(signIn.status).toBe(201);
    expect(links()[1]?.[1]).toMatch(
      /^Sign in again, when this session has ended, until .* UTC, at$/,
    );
    const lines = output.out.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { app: string }).app)).toContain('bff');
    expect(output.out).not.toContain('#code=');
  });
});
