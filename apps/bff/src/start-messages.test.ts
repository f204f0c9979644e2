/** The messages of a start: one line for each problem. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createKeyring, openStore } from '@dowel/installation-store';
import { describe, expect, test } from 'vitest';
import { openInProcess } from './testing/open-in-process.ts';
import { startProcess } from './testing/start-process.ts';
import { lifecycleAt, useStartFolder } from './testing/use-start-folder.ts';

const { path, start, writeManifest, expectOneLine } = useStartFolder();

describe('one line says what is wrong', () => {
  test('with an unknown setting', () =>
    expectOneLine(
      { DOWEL_TRSUT: 'https://a.example=https://keys.example/' },
      'DOWEL_TRSUT is not a setting: did you mean DOWEL_TRUST?',
    ));

  test.each(['file', 'file/below'])('with a data folder that cannot be made: %s', async (at) => {
    await writeFile(join(path(), 'file'), '');
    const dataDir = join(path(), at);

    await expect(openInProcess(dataDir)).rejects.toMatchObject({
      message: `The data folder ${dataDir} cannot be used: a part of the path is a file (ENOTDIR). Choose another with DOWEL_DATA_DIR.`,
    });
  });

  test('with rows that cannot be decrypted although the key is right, and keeps the key file', async () => {
    const bytes = randomBytes(32);
    const keyring = createKeyring(bytes);
    const databasePath = join(path(), 'dowel.sqlite');
    await (await openStore({ path: databasePath, keyring })).close();
    const keyText = `${Buffer.from(bytes).toString('base64url')}\n`;
    await writeFile(join(path(), 'encryption.key'), keyText, { mode: 0o600 });
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(databasePath);
    database.exec("update key_checks set value_sealed = substr(value_sealed, 1, 40) || 'AAAA'");
    database.close();

    await expect(openInProcess(path())).rejects.toThrow(
      /^The key file has the key of the database .* Leave the key file as it is, and put a copy of the database back\./,
    );
    expect(await readFile(join(path(), 'encryption.key'), 'utf8')).toBe(keyText);
  });
});

describe('a start says', () => {
  test('at which URL it receives each event and whom it believes, one line each, and warns of nothing if an issuer is trusted', async () => {
    const { err, port } = await start({
      DOWEL_MANIFEST: await writeManifest(lifecycleAt('events')),
      DOWEL_TRUST: 'haiilo',
    });

    expect(err).toMatch(/^Dowel is at /);
    expect(err).not.toContain('DOWEL_TRUST');
    const lines = err.split('\n').filter((line) => line.startsWith('Receives'));
    expect(lines).toEqual([
      `Receives install at http://localhost:${port}/events/install`,
      `Receives uninstall at http://localhost:${port}/events/uninstall`,
      `Receives instance_add at http://localhost:${port}/events/instance_add`,
      `Receives instance_remove at http://localhost:${port}/events/instance_remove`,
      `Receives access_token at http://localhost:${port}/lifecycle/access_token`,
    ]);
    const believed = err.split('\n').filter((line) => line.startsWith('Believes'));
    expect(believed).toHaveLength(8);
    expect(believed).toContain(
      'Believes events by the rule https://*.haiilo.com=https://plugins.coyoapp.com/',
    );
  });

  test('which port it listens on, if any free one may be taken, and loudly that no issuer is trusted', async () => {
    const { err } = await start({ DOWEL_PORT: '0' });

    const [, named, port] =
      /^Dowel is at http:\/\/localhost:(\d+), and listens on port (\d+)$/m.exec(err) ?? [];
    expect(Number(port)).toBeGreaterThan(0);
    expect(named).toBe(port);
    expect(err).toMatch(
      /^DOWEL_TRUST, or the option trust, is not set: no platform is believed, so every event/,
    );
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

  test('on standard error how to sign in and until when; standard output is only the log', async () => {
    const { child, output, closed, port } = await startProcess({ dataDir: path() });
    const [, words, code] = /(.*) http\S+#code=(\S+)$/m.exec(output.err) ?? [];
    expect(words).toMatch(/^Sign in once, until \d{4}-\d\d-\d\d \d\d:\d\d UTC, at$/);

    const signIn = await fetch(`http://localhost:${port}/admin/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-dowel-csrf': '1' },
      body: JSON.stringify({ code }),
    });
    child.kill('SIGTERM');
    await closed;

    expect(signIn.status).toBe(201);
    const lines = output.out.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { app: string }).app)).toContain('dowel');
    expect(output.out).not.toContain('#code=');
  });
});
