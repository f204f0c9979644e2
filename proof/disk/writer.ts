/**
 * A process that writes continuously to a SQLite store: installs, leases and changes at once. Prints the
 * id of each installation once its store has acknowledged it, and "failed CODE" for each that fails.
 * Arguments: the path of the database, its key in hexadecimal.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyring, openStore, type Store } from '@dowel/installation-store';

const [path = '', keyText = ''] = process.argv.slice(2);
const keyring = createKeyring(Buffer.from(keyText, 'hex'));
const store = await openStore({ path, keyring });
const say = (line: string) => process.stdout.write(`${line}\n`);
say('ready');
for (let writers = 0; writers < 16; writers += 1) void writeWithoutEnd(store);

async function writeWithoutEnd(store: Store): Promise<void> {
  for (;;) {
    try {
      const key = { issuer: 'https://a.example', tenantId: randomUUID(), pluginId: 'poll' };
      const { id } = await store.transaction(({ installations }) => installations.begin(key, 1, 1));
      await store.installations.addInstance(id, 'x'.repeat(500), 1);
      say(id);
    } catch (error) {
      say(`failed ${(error as { code: string }).code}`);
      await sleep(20);
    }
  }
}
