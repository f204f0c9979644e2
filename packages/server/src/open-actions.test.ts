import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFirstKey, openKeyring, openStore } from '@dowel/installation-store';
import { expect, test } from 'vitest';
import { openActions } from './open-actions.ts';
import { readStoreSettings } from './settings/read-configuration.ts';

const request = { reason: 'the tenant asked for it' };
const installationId = 'nobody';
const actor = { who: 'night.desk', role: 'owner', way: 'cli', from: null } as const;

test('an operator acts without a server, on the database of the back end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-actions-'));
  const environment = { DOWEL_DATA_DIR: folder };
  await expect(openActions(environment)).rejects.toMatchObject({ code: 'DATABASE_UNUSABLE' });
  const settings = readStoreSettings(environment);
  await createFirstKey(settings);
  const keyring = openKeyring(settings.keyFile);
  await (await openStore({ ...settings.database, keyring })).close();

  const actions = await openActions(environment);
  const outcome = await actions.perform(actor, { action: 'pause', installationId, request });
  await actions.close();

  const again = await openActions(environment);
  expect((await again.audit({ limit: 5 })).entries).toMatchObject([{ result: 'refused' }]);
  await again.close();

  expect(outcome).toMatchObject({ refusal: 'unknown_installation' });
  await rm(folder, { recursive: true });
});
