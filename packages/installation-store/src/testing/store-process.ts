/**
 * A process with its own stores. Lines on standard input contain a command, a location and a key. `open`
 * opens and closes a store. `migrate` begins all migrations and never commits. `fill` writes until something
 * fails, and returns the installations whose writes were acknowledged. `hold` opens a store and keeps it open,
 * `write` writes to it, and `probe` returns whether it is available. `uninstall` ends a life. `maintain` runs maintenance. Each
 * command gets one line as its answer.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { begin } from '../contract/check.ts';
import { type EngineLocation, openEngine } from '../open-engine.ts';
import { openStore } from '../open-store.ts';
import { createKeyring } from '../sealing/keyring.ts';
import { createMigrations } from '../sql/migrations.ts';
import type { Store } from '../store.ts';
import type { InstallationKey } from '../stores/find-installation.ts';

interface Order {
  what: 'open' | 'migrate' | 'fill' | 'hold' | 'write' | 'probe' | 'uninstall' | 'maintain';
  location: EngineLocation;
  /** Hexadecimal. */
  key: string;
  /** Which installation `uninstall` is for. */
  installation?: InstallationKey;
}

const say = (line: string) => process.stdout.write(`${line}\n`);

async function open({ location, key }: Order): Promise<void> {
  const keyring = createKeyring(Buffer.from(key, 'hex'));
  const store = await openStore({ ...location, keyring });
  await store.close();
  say('opened');
}

async function migrateWithoutEnd({ location }: Order): Promise<void> {
  const engine = await openEngine(location);
  await engine.exclusive(async (transaction) => {
    for (const { up } of Object.values(createMigrations(engine.spelling))) await up(transaction);
    say('half');
    await sleep(3_600_000);
  });
}

async function fill({ location, key }: Order): Promise<void> {
  const keyring = createKeyring(Buffer.from(key, 'hex'));
  const store = await openStore({ ...location, keyring });
  const stored: string[] = [];
  const errors: string[] = [];
  while (errors.length === 0) {
    const outcomes = await Promise.allSettled([begin(store), begin(store), begin(store)]);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') stored.push(outcome.value.id);
      else errors.push((outcome.reason as { code: string }).code);
    }
  }
  const { groups } = await store.reports.countFleet(0);
  const counted = Object.values(groups).reduce((sum, count) => sum + count, 0);
  await store.close();
  say(JSON.stringify({ stored, errors, counted }));
}

/** The store of `hold`. */
let held: Store | undefined;

async function hold({ location, key }: Order): Promise<void> {
  const keyring = createKeyring(Buffer.from(key, 'hex'));
  held = await openStore({ ...location, keyring });
  say('held');
}

function isUnavailable(error: { code?: string }): false {
  if (error.code === 'DATABASE_UNAVAILABLE') return false;
  throw error;
}

async function write(): Promise<void> {
  const isWritten = held && (await begin(held).then(() => true, isUnavailable));
  say(isWritten ? 'written' : 'refused');
}

async function probe(): Promise<void> {
  const isAvailable = held && (await held.assertAvailable().then(() => true, isUnavailable));
  say(isAvailable ? 'available' : 'unavailable');
}

async function uninstall({ location, key, installation }: Order): Promise<void> {
  const keyring = createKeyring(Buffer.from(key, 'hex'));
  const store = await openStore({ ...location, keyring });
  const iat = Math.ceil(Date.now() / 1_000);
  if (installation) await store.installations.uninstall(installation, iat);
  await store.close();
  say('uninstalled');
}

async function maintain({ location, key }: Order): Promise<void> {
  const keyring = createKeyring(Buffer.from(key, 'hex'));
  const store = await openStore({ ...location, keyring });
  await store.maintain({ now: Date.now(), historyDays: 30 });
  await store.close();
  say('maintained');
}

const work = { open, migrate: migrateWithoutEnd, fill, hold, write, probe, uninstall, maintain };

say('ready');
for await (const line of createInterface(process.stdin)) {
  try {
    const order = JSON.parse(line) as Order;
    await work[order.what](order);
  } catch (error) {
    say(`failed: ${(error as Error).message}`);
  }
}
