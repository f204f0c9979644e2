/**
 * A process that writes continuously to a SQLite store: installs, leases and changes at once. Prints the
 * id of each installation once its store has acknowledged it, "uninstalled" when one has ended, and "failed CODE"
 * for each write that fails.
 * Arguments: the path of the database, its key in hexadecimal.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyring, openStore, type Store } from '@dowel/installation-store';
import { seedGrants } from '@dowel/installation-store/testing';

const [path = '', keyText = ''] = process.argv.slice(2);
const keyring = createKeyring(Buffer.from(keyText, 'hex'));
const store = await openStore({ path, keyring });
const say = (line: string) => process.stdout.write(`${line}\n`);
say('ready');
const uninstallEvery = 20;
for (let writers = 0; writers < 16; writers += 1) void writeWithoutEnd(store);

/** The secrets of an ended installation leave the log, too: a thread writes it back and truncates it. */
async function installAndUninstall(store: Store): Promise<void> {
  const [installation] = await seedGrants(store, 1);
  if (!installation) throw new Error('Nothing was seeded');
  say(installation.id);
  await store.transaction(({ installations }) => installations.uninstall(installation, 20));
  say('uninstalled');
}

async function writeWithoutEnd(store: Store): Promise<void> {
  for (let count = 0; ; count += 1) {
    try {
      const key = { issuer: 'https://a.example', tenantId: randomUUID(), pluginId: 'poll' };
      const { id } = await store.transaction(({ installations }) => installations.begin(key, 1, 1));
      await store.installations.addInstance(id, 'x'.repeat(500), 1);
      say(id);
      if (count % uninstallEvery === 0) await installAndUninstall(store);
    } catch (error) {
      say(`failed ${(error as { code: string }).code}`);
      await sleep(20);
    }
  }
}
