import { json } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import {
  createOperationWorld,
  type OperationWorld,
} from '../operations/testing/operation-world.ts';
import { createPlatform } from './create-platform.ts';

let world: OperationWorld;
let arrived: { url: string | undefined; body: unknown }[];

afterEach(() => world[Symbol.asyncDispose]());

async function open(
  status: number,
  headers: Record<string, string> = {},
  instanceId: string = 'w-1',
) {
  arrived = [];
  world = await createOperationWorld({}, async (request, response) => {
    arrived.push({ url: request.url, body: await json(request) });
    response.writeHead(status, headers).end('{"text":"not for this user"}');
  });
  const { context, installation } = world;
  return createPlatform(context, installation, { instanceId, scope: {} });
}

const lunch = { recipientId: 'ada', message: 'Lunch?' };

test('a notification comes from the widget that called', async () => {
  const { notify } = await open(201);
  await notify(lunch);
  const { pluginId } = world.installation;
  expect(arrived).toEqual([
    {
      url: `/api/plugins/${pluginId}/instances/w-1/notifications`,
      body: { ...lunch, category: 'ACTIVITY' },
    },
  ]);
});

test('an id of a widget with a separator stays one segment of the path', async () => {
  const { notify } = await open(201, {}, 'a/b?c#d');
  await notify(lunch);
  expect(arrived[0]?.url).toContain('/instances/a%2Fb%3Fc%23d/notifications');
});

test('a notification that is none is a TypeError that names the field', async () => {
  const { notify } = await open(201);
  await expect(notify({ message: 'To nobody' })).rejects.toThrow(
    /^No notification: recipientEmail/,
  );
  await expect(notify({ message: 'To nobody' })).rejects.toBeInstanceOf(TypeError);
  const misspelt: object = { ...lunch, excerp: 'Vote' };
  await expect(notify(misspelt)).rejects.toThrow(
    'A notification has no option excerp. There are: recipientEmail, recipientId, message,',
  );
  expect(arrived).toEqual([]);
});

test('an option that notify does not have is a TypeError that names it', async () => {
  const { notify } = await open(201);
  const options: object = { timeoutMs: 5 };
  await expect(notify(lunch, options)).rejects.toThrow('notify has no option timeoutMs');
  expect(arrived).toEqual([]);
});

test.each<[number, Record<string, string>, string, number | undefined]>([
  [400, {}, 'NOTIFICATION_REFUSED', undefined],
  [403, {}, 'SCOPE_MISSING', undefined],
  [404, {}, 'FEATURE_NOT_AVAILABLE', undefined],
  [429, { 'retry-after': '7' }, 'PLATFORM_LIMITED', 7_000],
  [429, { 'retry-after': '86400' }, 'PLATFORM_LIMITED', 3_600_000],
  [429, {}, 'PLATFORM_LIMITED', 30_000],
  [503, { 'retry-after': '9' }, 'PLATFORM_BUSY', 9_000],
  [503, {}, 'PLATFORM_FAILED', undefined],
  [500, {}, 'OUTCOME_UNKNOWN', undefined],
  [504, {}, 'OUTCOME_UNKNOWN', undefined],
  [410, {}, 'PLATFORM_FAILED', undefined],
])('the platform’s %i with %j is %s', async (status, headers, code, retryAfterMs) => {
  const { notify } = await open(status, headers);
  const error = await notify(lunch).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'PlatformError', code, retryAfterMs });
  expect(String(error)).not.toContain('not for this user');
});

test('the form of the answer is counted, and no value of it', async () => {
  const { notify } = await open(400, { 'content-type': 'application/json' });
  await notify(lunch).catch(() => undefined);
  await notify(lunch).catch(() => undefined);

  const { pending } = world.context.shapes;
  await expect.poll(() => [...pending.values()]).toMatchObject([{ count: 2 }]);
  const [counted] = pending.values();
  expect(counted).toMatchObject({
    kind: 'notification answer',
    shape: 'status: 400; content type: JSON; body/text: text ≤ 64, with blanks; body: object',
  });
});

test('an answer whose body never ends is counted without it', async () => {
  arrived = [];
  world = await createOperationWorld({}, (_request, response) => {
    response.writeHead(201, { 'content-type': 'application/json' }).write('{"text":');
  });
  const { context, installation } = world;
  const { notify } = createPlatform(context, installation, { instanceId: 'w-1', scope: {} });
  await notify(lunch);

  await expect
    .poll(() => [...context.shapes.pending.values()].map(({ shape }) => shape), { timeout: 10_000 })
    .toEqual(['status: 201; content type: JSON']);
});
