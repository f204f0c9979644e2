/**
 * A process with stores of its own, driven by lines on standard input: what to do, where, with which
 * key. `open` opens and closes a store; `migrate` begins all migrations and never commits. Answers each
 * with a line.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyring } from '../keyring.ts';
import { createMigrations } from '../migrations.ts';
import { type EngineLocation, openEngine } from '../open-engine.ts';
import { openStore } from '../open-store.ts';

interface Order {
  what: 'open' | 'migrate';
  location: EngineLocation;
  /** Hexadecimal. */
  key: string;
}

const say = (line: string) => process.stdout.write(`${line}\n`);

async function open({ location, key }: Order): Promise<void> {
  const keyring = createKeyring(Buffer.from(key, 'hex'));
  const store = await openStore({ ...location, keyring });
  await store.close();
  say('opened');
}

async function migrateWithoutEnd({ location }: Order): Promise<void> {
  const engine = openEngine(location);
  await engine.migration(async (transaction) => {
    for (const { up } of Object.values(createMigrations(engine.spelling))) await up(transaction);
    say('half');
    await sleep(3_600_000);
  });
}

say('ready');
for await (const line of createInterface(process.stdin)) {
  try {
    const order = JSON.parse(line) as Order;
    await (order.what === 'open' ? open(order) : migrateWithoutEnd(order));
  } catch (error) {
    say(`failed: ${(error as Error).message}`);
  }
}
