import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  createFirstKey,
  createKeyring,
  openExistingStore,
  openKeyAdmin,
  openKeyring,
  openServerKeyring,
  openStore,
} from '@dowel/installation-store';
import { Secret } from '@dowel/schema';
import { expect, test } from 'vitest';
import { createFolder } from './kit.ts';

const key = {
  issuer: 'https://acme.example.com',
  tenantId: 'd290f1ee-6c54-4b01-90e6-d701748f0851',
  pluginId: '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de',
};

const settingsIn = (folder: string) => ({
  database: { path: join(folder, 'dowel.sqlite') },
  keyFile: { path: join(folder, 'encryption.key'), production: false },
});

test('a store opens with a key file of its own', async () => {
  await using folder = await createFolder();
  const path = (name: string) => join(folder.path, name);

  const settings = {
    database: { path: path('dowel.sqlite') },
    keyFile: { path: path('encryption.key'), production: false },
  };
  const keyring = await openServerKeyring(settings);
  const store = await openStore({ ...settings.database, keyring });

  const at = Date.now();
  const installation = await store.transaction(({ installations }) =>
    installations.begin(key, Math.floor(at / 1000), at),
  );
  const installations = await store.installations.listAfter('', 50);
  await store.close();

  expect(installations.map(({ id }) => id)).toEqual([installation.id]);
});

test('the example of openStore runs', async () => {
  await using folder = await createFolder();
  const path = join(folder.path, 'dowel.sqlite');
  const keyring = createKeyring(randomBytes(32));

  const store = await openStore({ path, keyring });
  const installation = await store.installations.find(key); // undefined: not installed
  await store.close();

  expect(installation).toBeUndefined();
});

test('the example of openExistingStore runs', async () => {
  await using folder = await createFolder();
  const settings = settingsIn(folder.path);
  await expect(openExistingStore(settings)).rejects.toMatchObject({ code: 'DATABASE_UNUSABLE' });
  const keyring = await openServerKeyring(settings);
  await (await openStore({ ...settings.database, keyring })).close();

  const store = await openExistingStore(settings);
  const accounts = await store.accounts.listAccounts();
  await store.close();

  expect(accounts).toEqual([]);
});

test('the example of createKeyring runs', () => {
  const keyring = createKeyring(randomBytes(32));
  const sealed = keyring.encrypt(new Secret('hunter2'), ['grants', 'access_token']);
  const opened = keyring.decrypt(sealed, ['grants', 'access_token']);

  expect([sealed.includes('hunter2'), opened.reveal()]).toEqual([false, 'hunter2']);
});

test('the examples of the key file run', async () => {
  await using folder = await createFolder();
  const settings = settingsIn(folder.path);
  const warn = (message: string) => expect.unreachable(message);
  const showProgress = () => {};

  const isCreated = await createFirstKey(settings); // false: there is a key file already

  const keyring = openKeyring(settings.keyFile, warn);

  expect([isCreated, keyring.keyIds().length]).toEqual([true, 1]);
  await (await openStore({ ...settings.database, keyring })).close();

  const admin = await openKeyAdmin(settings);
  await admin.rotate();
  await admin.reencrypt({ onProgress: showProgress });
  await admin.close();

  expect(openKeyring(settings.keyFile).keyIds()).toEqual([
    expect.any(String),
    keyring.activeKeyId(),
  ]);
});

test('the example of openServerKeyring runs', async () => {
  await using folder = await createFolder();
  const settings = settingsIn(folder.path);
  const warn = (message: string) => expect.unreachable(message);

  const keyring = await openServerKeyring(settings, warn);

  expect(keyring.keyIds()).toHaveLength(1);
});
