/** The messages that open dashboards receive, on a real store. */
import { liveChangesSchema } from '@dowel/admin-api';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startWorld, type World } from '../testing/start-world.ts';
import { type ChangeFeed, createChangeFeed } from './change-feed.ts';

let world: World;
let feed: ChangeFeed;
let texts: string[];
let closing: AbortController;
const logger = { warn: vi.fn() };

beforeEach(async () => {
  world = await startWorld();
  closing = new AbortController();
  const { store } = world;
  feed = createChangeFeed({ store, logger, closing: closing.signal, now: Date.now });
  texts = [];
  feed.subscribe((text) => texts.push(text), undefined);
});
afterEach(async () => {
  closing.abort();
  logger.warn.mockClear();
  await world[Symbol.asyncDispose]();
});

const eventOf = (text: string) => /^event: (.*)$/m.exec(text)?.[1];
const idOf = (text: string) => /^id: (.*)$/m.exec(text)?.[1];
const messages = () =>
  texts
    .filter((text) => eventOf(text) === 'changed')
    .map((text) => liveChangesSchema.parse(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '')));
const rows = () => messages().flatMap((message) => message.rows);
const deltas = () => messages().flatMap((message) => message.deltas);

/** Something that changes one row. */
const rename = (id: string, name: string) =>
  world.store.transaction(({ operators }) => operators.describe(id, { name }));

async function begin(count: number): Promise<string[]> {
  return world.store.transaction(async ({ installations }) => {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const key = {
        issuer: `https://t${index}.example.com`,
        tenantId: `t-${index}`,
        pluginId: 'p',
      };
      ids.push((await installations.begin(key, 1, 1)).id);
    }
    return ids;
  });
}

test('tells the rows that changed, and the counts only if they did', async () => {
  const [id = ''] = await begin(1);
  await vi.waitFor(() => expect(rows()).toHaveLength(1), 120_000);
  expect(messages().at(-1)?.fleet?.groups).toMatchObject({ broken: 1 });
  const before = texts.length;

  await rename(id, 'Canteen');

  await vi.waitFor(() => expect(texts.length).toBeGreaterThan(before), 120_000);
  expect(messages().at(-1)).toMatchObject({ deltas: [{ id, name: 'Canteen' }] });
  expect(messages().at(-1)?.fleet).toBeUndefined();
});

test('tells the plug-in ids only if they changed, and to a page that begins to listen', async () => {
  const [id = ''] = await begin(1);
  await vi.waitFor(() => expect(messages().at(-1)?.fleet?.pluginIds).toEqual(['p']), 120_000);

  await world.store.operators.pause(id, { by: 'ada', reason: 'test' });
  await vi.waitFor(
    () => expect(messages().at(-1)?.fleet?.groups).toMatchObject({ paused: 1 }),
    120_000,
  );
  expect(messages().at(-1)?.fleet?.pluginIds).toBeUndefined();

  // Its counts may be older than the message that had the ids.
  feed.subscribe(() => {}, undefined);
  await world.store.operators.resume(id);
  await vi.waitFor(() => expect(messages().at(-1)?.fleet?.pluginIds).toEqual(['p']), 120_000);
});

test('a further change of a row whose state stays is sent as what has changed of it', async () => {
  const [id = ''] = await begin(1);
  await vi.waitFor(() => expect(rows()).toHaveLength(1), 120_000);

  await rename(id, 'Canteen');
  await vi.waitFor(
    () => expect(deltas()).toEqual([{ id, name: 'Canteen', state: 'no_tokens' }]),
    120_000,
  );
  expect(rows()).toHaveLength(1);

  // A page that begins to listen may have loaded the row before the last change of its state.
  feed.subscribe(() => {}, undefined);
  await rename(id, 'Bar');
  await vi.waitFor(() => expect(rows()).toHaveLength(2), 120_000);
  await world.store.operators.pause(id, { by: 'ada', reason: 'test' });
  await vi.waitFor(() => expect(rows()).toHaveLength(3), 120_000);
  expect(rows().at(-1)).toMatchObject({ id, condition: 'paused', host: 't0.example.com' });
});

test('after changes that no message has, a row is sent whole', async () => {
  const [id = ''] = await begin(1);
  await vi.waitFor(() => expect(rows()).toHaveLength(1), 120_000);
  await begin(61);
  await vi.waitFor(() => expect(messages().at(-1)?.isPartial).toBe(true), 120_000);

  await rename(id, 'Canteen');

  await vi.waitFor(() => expect(rows()).toHaveLength(2), 120_000);
  expect(deltas()).toEqual([]);
});

test('a purged installation is gone', async () => {
  const [id = ''] = await begin(1);
  await vi.waitFor(() => expect(rows()).toHaveLength(1), 120_000);
  await world.store.transaction(async ({ installations, operators }) => {
    await installations.uninstall(
      { issuer: 'https://t0.example.com', tenantId: 't-0', pluginId: 'p' },
      2,
    );
    await operators.purge(id, 0);
  });

  await vi.waitFor(() => expect(messages().at(-1)?.gone).toEqual([id]), 120_000);
});

test('more than sixty changed rows are not sent one by one', async () => {
  await begin(61);

  await vi.waitFor(() => expect(messages().at(-1)?.isPartial).toBe(true), 120_000);
  expect(rows()).toEqual([]);
  const groups: Record<string, number> = messages().at(-1)?.fleet?.groups ?? {};
  expect(Object.values(groups).reduce((sum, each) => sum + each, 0)).toBe(61);
});

test('a stream that comes back gets what it missed, and a gap if that is not known any more', async () => {
  const [id = ''] = await begin(1);
  await vi.waitFor(() => expect(rows()).toHaveLength(1), 120_000);
  const seen = idOf(texts.at(-1) ?? '');
  await rename(id, 'missed');
  await vi.waitFor(() => expect(deltas()).toHaveLength(1), 120_000);

  const subscribe = (lastEventId: string | undefined) => {
    const told: string[] = [];
    feed.subscribe((text) => told.push(text), lastEventId)();
    return told;
  };

  expect(subscribe(seen)).toEqual([texts.at(-1)]);
  expect(subscribe(idOf(texts.at(-1) ?? ''))).toEqual([]);
  expect(subscribe(undefined).map(eventOf)).toEqual(['position']);
  for (const unknown of ['of another process.3', `${seen}9`, 'x', '-1']) {
    expect(subscribe(unknown).map(eventOf)).toEqual(['gap']);
  }
});

test('a change that cannot be read is sent later, and each outage is logged once', async () => {
  vi.spyOn(world.store.reports, 'readRows')
    .mockRejectedValueOnce(new Error('away'))
    .mockRejectedValueOnce(new Error('away'));

  await begin(1);

  await vi.waitFor(() => expect(rows()).toHaveLength(1), 120_000);
  expect(logger.warn).toHaveBeenCalledOnce();
});

test('a stream that missed more than is kept gets a gap', async () => {
  const { store } = world;
  const short = createChangeFeed({
    store,
    logger,
    closing: closing.signal,
    now: Date.now,
    maxKept: 1,
  });
  const told: string[] = [];
  short.subscribe((text) => told.push(text), undefined);
  const [id = ''] = await begin(1);
  for (const count of [2, 3]) {
    await vi.waitFor(() => expect(told).toHaveLength(count), 120_000);
    await rename(id, `${count}`);
  }
  await vi.waitFor(() => expect(told).toHaveLength(4), 120_000);

  const [first, , third] = told.map(idOf);
  for (const [lastEventId, event] of [
    [first, 'gap'],
    [third, 'changed'],
  ] as const) {
    const missed: string[] = [];
    short.subscribe((text) => missed.push(text), lastEventId)();
    expect(missed.map(eventOf)).toEqual([event]);
  }
});

test('the feed receives no change after the server stops', () => {
  const stop = vi.fn();
  const store = { ...world.store, onChange: () => stop };
  createChangeFeed({ store, logger, closing: closing.signal, now: Date.now }).subscribe(
    () => {},
    undefined,
  );

  closing.abort();

  expect(stop).toHaveBeenCalledOnce();
});
