/** More messages of a start, on real processes: one line for each problem. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lifecycleAt, useStartFolder } from './testing/use-start-folder.ts';

const { path, start, writeManifest, expectOneLine } = useStartFolder();

describe('one line says what is wrong', () => {
  test('with a trust key file that does not exist', () =>
    expectOneLine(
      { DOWEL_TRUST: 'https://a.example=file:/nowhere/acme.pem#RS512' },
      'DOWEL_TRUST: The key file "/nowhere/acme.pem" cannot be read: there is no such file',
    ));

  test.each(['203.0.113.7', 'name.invalid'])('with the host %s, which is not ours', (host) =>
    expectOneLine(
      { DOWEL_HOST: host },
      /^DOWEL_HOST, or the option host: [\w.]+ is not an address of this machine \(E\w+\)\. Write 127\.0\.0\.1 /,
    ),
  );

  test('with a host that is a URL', () =>
    expectOneLine(
      { DOWEL_HOST: 'http://localhost' },
      'DOWEL_HOST must be an address or a name of this machine, such as 127.0.0.1 or 0.0.0.0',
    ));

  test('with a manifest that does not exist', () =>
    expectOneLine(
      { DOWEL_MANIFEST: '/nowhere/manifest.json' },
      'DOWEL_MANIFEST, or the option manifest: the manifest /nowhere/manifest.json cannot be read: it does not exist (ENOENT).',
    ));

  test('with a public URL whose query would be dropped', () =>
    expectOneLine(
      { DOWEL_PUBLIC_URL: 'https://plugin.example/dowel?tenant=1' },
      /^DOWEL_PUBLIC_URL must be an origin with or without a plain path.*no query/,
    ));

  test('with an essential scope that the manifest does not ask for', () =>
    expectOneLine(
      { DOWEL_ESSENTIAL_SCOPES: 'plugin:notify,plugin:read' },
      'DOWEL_ESSENTIAL_SCOPES, or the option essentialScopes: the manifest does not ask for plugin:read: add it to apiAccess.client.scope, or remove it here.',
    ));

  test('with a file that is not a database, and what to do', async () => {
    await writeFile(join(path(), 'dowel.sqlite'), 'no database'.repeat(1_000));

    await expectOneLine(
      {},
      /^The database \S+dowel\.sqlite cannot be used: file is not a database\. It is damaged, or not a database of Dowel\. Stop Dowel and move the file away/,
    );
  });
});

describe('a manifest whose events cannot arrive', () => {
  test('is refused, with the URL that the platform would call', async () => {
    const manifest = await writeManifest(lifecycleAt('https://hooks.example.com/events/'));
    const { code, err } = await start({ DOWEL_MANIFEST: manifest });

    expect(code).toBe(1);
    expect(err).toMatch(
      /own-manifest\.json: the platform would post install to https:\/\/hooks\.example\.com\/events\/install, and this back end is at http:\/\/localhost:\d+\..*DOWEL_EVENT_PATH or the option eventPath\.\n/,
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
