/** Functions of a server that need no user: calls, notifications, hooks and turns. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ParkHook } from '../hooks/hooks.ts';
import { ServerClosedError } from '../process/server-closed-error.ts';
import type { Server } from '../server-options.ts';
import { installAt, type ServerWorld, startServerWorld } from '../testing/server-world.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

test('an installation, or its id, is enough to call its platform and to notify its users', async () => {
  const server = world.create();
  const { url } = await server.start();
  const { instanceId } = await installAt(world, url);
  const [installation] = await collect(server.installations.list());
  if (!installation) throw new Error('Nothing is installed');
  const recipientId = world.userId;

  for (const choice of [installation, installation.id]) {
    const response = await server.platform(choice).fetch('/api/there-is-none');
    expect(response.status).toBe(404);
    await server.notify({ installation: choice, instanceId }, { recipientId, message: 'Lunch?' });
  }

  expect(world.platform.notifications(recipientId)).toMatchObject([
    { message: 'Lunch?', instanceId },
    { message: 'Lunch?', instanceId },
  ]);
});

/** The calls that give a promise. A timer of the program may still make one after `close`. */
const promised = (server: Server) => [
  () => server.runOnce({ name: 'x', everyMs: 1 }, () => {}),
  () => server.hooks.replay('x'),
  () => server.hooks.runDue(),
  () => server.installations.get('x'),
  () => server.notify({ installation: 'x', instanceId: 'y' }, { recipientId: 'z', message: 'Hi' }),
];

test('before open, each of them says what is missing', async () => {
  const server = world.create();
  const notOpen = /not open: await open\(\)/;

  expect(() => server.platform('x')).toThrow(notOpen);
  expect(() => server.installations.list()).toThrow(notOpen);
  for (const call of promised(server)) await expect(call()).rejects.toThrow(notOpen);
});

test('after close, each promise is rejected, and none of the calls throws at once', async () => {
  const server = world.create();
  await server.open();
  await server.close();

  expect(() => server.platform('x')).toThrow(ServerClosedError);
  for (const call of promised(server)) await expect(call()).rejects.toThrow(ServerClosedError);
});

test('a parked hook is listed, and its replay calls it again', async () => {
  const told: boolean[] = [];
  const server = world.create({
    hooks: {
      installed({ isReplay }) {
        told.push(isReplay);
        if (!isReplay) throw new ParkHook('No licence');
      },
    },
  });
  const { url } = await server.start();
  await installAt(world, url);
  await expect.poll(() => collect(server.hooks.parked())).toHaveLength(1);
  const [parked] = await collect(server.hooks.parked());

  expect(parked).toMatchObject({ event: 'installed', lastError: 'ParkHook: No licence' });
  expect(await server.hooks.replay(parked?.id ?? '')).toBe('queued');
  await expect.poll(() => told).toEqual([false, true]);
  await expect.poll(() => collect(server.hooks.parked())).toEqual([]);
  expect(await server.hooks.replay('unknown')).toBe('unknown');
});

test('S25: of two servers on one database, one runs the work of an interval', async () => {
  const servers = [world.create(), world.create()];
  for (const server of servers) await server.open();
  let runs = 0;
  const turn = { name: 'digest', everyMs: 86_400_000 };
  const work = () => {
    runs += 1;
  };

  const ran = await Promise.all(servers.map((server) => server.runOnce(turn, work)));

  expect(ran.filter(Boolean)).toHaveLength(1);
  expect(runs).toBe(1);
});

test('a slip in a filter or a turn is an error, and takes no turn', async () => {
  const server = world.create();
  await server.open();
  const list = (query: object) => server.installations.list(query)[Symbol.asyncIterator]().next();
  const turn = { name: 'daily', everyMs: 60_000 };

  await expect(list({ plugn: 'polls' })).rejects.toThrow('installations.list has no option plugn');
  await expect(list({ status: 'broken' })).rejects.toThrow(
    'The status of installations.list must be "pending" or "active" or',
  );
  await expect(list({ group: 'attention' })).rejects.toThrow(
    'The group of installations.list must be "broken" or "risk"',
  );
  await expect(list({ pageSize: 0 })).rejects.toThrow(
    'The pageSize of installations.list must be a whole number from 1 to 100',
  );
  const parked = server.hooks.parked({ instalationId: 'x' } as object)[Symbol.asyncIterator]();
  await expect(parked.next()).rejects.toThrow('hooks.parked has no option instalationId');
  await expect(server.runOnce({ everyMs: 1 } as never, () => {})).rejects.toThrow('The name of');
  await expect(server.runOnce(turn, undefined as never)).rejects.toThrow('The work of runOnce');
  expect(await server.runOnce(turn, () => {})).toBe(true);
});

test('a slip in what is called or notified is an error that names it', async () => {
  const server = world.create();
  await server.open();
  const message = { recipientId: world.userId, message: 'Lunch?' };
  const notify = (origin: unknown) => server.notify(origin as never, message);

  for (const choice of [undefined, null, '', 7, {}, { id: '' }]) {
    expect(() => server.platform(choice as never)).toThrow(
      'The installation of platform must be an installation or its id',
    );
    await expect(notify({ installation: choice, instanceId: 'i' })).rejects.toThrow(
      'The installation of notify must be an installation or its id',
    );
  }
  await expect(notify(undefined)).rejects.toThrow('The origin of notify must be an object');
  await expect(notify({ installation: 'x' })).rejects.toThrow(
    'The instanceId of notify must be a string',
  );
});
