/** `dowel fault` against a platform with a back end of Dowel. */
import { fileURLToPath } from 'node:url';
import { faultDescriptions } from '@dowel/emulator';
import { startTestServer } from '@dowel/emulator/test-server';
import { createServer } from '@dowel/server';
import { expect, test } from 'vitest';
import { callCommand } from '../testing/call-command.ts';
import { runFault } from './run-fault.ts';

const manifest = fileURLToPath(new URL('../../../../manifest.json', import.meta.url));

async function startWorld() {
  const world = await startTestServer((options) => createServer({ ...options, manifest }));
  const { platform } = world;
  return {
    platform,
    key: await world.openPage(),
    run: (...args: string[]) => run([...args, '--platform', platform.origin]),
    [Symbol.asyncDispose]: () => world.close(),
  };
}

const run = (args: readonly string[]) => callCommand(runFault, args);

test('the next request meets it, and the words are those of the schema', async () => {
  await using world = await startWorld();

  const { code, out, err } = await world.run(
    'token.unavailable',
    '--on',
    'code',
    '--status',
    '502',
  );
  const event = await world.platform.sendAccessTokenEvent(world.key);

  expect([code, err]).toEqual([0, '']);
  expect(out).toBe(`token.unavailable is on for the next request.
  Nothing is spent, and the answer is \`status\`.
  A good back end: Refuses the event after a code; after a refresh keeps its tokens and tries later.
`);
  const [exchange] = world.platform.exchanges({ kind: 'code' }).slice(-1);
  expect(exchange).toMatchObject({ status: 502, fault: 'token.unavailable' });
  expect(event.error?.code).toBe('REFUSED');
  expect(world.platform.faults()).toEqual([]);
});

test('an option of each type arrives as the schema has it', async () => {
  await using world = await startWorld();
  const tenantId = world.platform.tenants[1]?.tenantId ?? '';

  await world.run('event.repeated', '--at-once', '--copies', '3', '--times', 'always');
  await world.run('token.answer', '--set', '{"a":{"b":1}}', '--unset', '["scope"]', '--skip', '2');
  await world.run('token.refused', '--error', '404', '--tenant', tenantId, '--plugin', '7');
  await world.run('api.limited', '--retry-after', '9');

  expect(world.platform.faults().map(({ fault }) => fault)).toMatchObject([
    { name: 'event.repeated', atOnce: true, signedAgain: false, copies: 3, times: 'always' },
    { name: 'token.answer', set: { a: { b: 1 } }, unset: ['scope'], skip: 2, times: 1 },
    { name: 'token.refused', error: '404', tenantId, pluginId: '7' },
    { name: 'api.limited', retryAfter: 9, tenantId: world.key.tenantId },
  ]);
});

test('off ends those of a name or all, and says how many requests met each', async () => {
  await using world = await startWorld();
  await world.run('event.clock', '--times', 'always', '--seconds', '1');
  await world.run('key.down', '--times', '2');
  await world.platform.sendAccessTokenEvent(world.key);

  const outcomes = [
    await world.run('event.clock', '--off'),
    await world.run('--off'),
    await world.run('--off'),
  ];

  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(outcomes.map(({ out }) => out)).toEqual([
    'event.clock has ended. 1 request met it.\n',
    'key.down has ended. 0 requests met it.\n',
    'No such fault is on.\n',
  ]);
  expect(world.platform.faults()).toEqual([]);
});

test('the list needs no platform, and has each fault with its sentences', async () => {
  const { code, out } = await run(['--list']);

  expect(code).toBe(0);
  for (const { name, does, good } of faultDescriptions) {
    expect(out).toContain(`${name}\n  ${does}\n  A good back end: ${good}\n`);
  }
});

test('help of a name has its options with their defaults', async () => {
  const { code, out } = await run(['token.slow', '--help']);

  expect(code).toBe(0);
  expect(out).toMatch(
    /^Usage: dowel fault token\.slow \[options\]\n\n {2}The answer comes `ms` later\.\n/,
  );
  expect(out).toMatch(/\n {2}--on code\|refresh\n {2}--ms NUMBER +Default: 25000\n/);
  expect(await run(['key.down', '--help'])).not.toMatchObject({
    out: expect.stringContaining('--tenant'),
  });
  expect(await run(['--help'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Usage: dowel fault NAME/),
  });
});

test.each([
  [[], 'Which fault?'],
  [['broken'], 'There is no such fault. "dowel fault --list" shows all.'],
  [['token.lostanswr'], 'There is no such fault. Did you mean token.lostAnswer? "dowel'],
  [['event.clok', '--off'], 'There is no such fault. Did you mean event.clock? "dowel'],
  [['token.slow', '--ms', 'long'], '--ms: Expected a number, found a string.'],
  [['token.slow', '--on', 'trigger'], '--on: Expected one of "code", "refresh".'],
  [['token.hang', '--ms', '1'], "Unknown option '--ms'"],
  [['key.down', '--tenant', 'acme'], "Unknown option '--tenant'"],
  [['token.slow', '--off', '--ms', '1'], "Unknown option '--ms'"],
  [['token.slow', '--platform', 'localhost'], '--platform must be an http(s) URL'],
])('%j is a misuse: the line says what is wrong', async (args, problem) => {
  const { code, out, err } = await run(args);

  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(problem);
  expect(err).toContain('Usage: dowel fault');
});

test('when nothing runs, a sentence says how to start it', async () => {
  await expect(run(['token.slow'])).rejects.toThrow(
    'No dowel dev runs in this folder. Start it: npx dowel dev.',
  );
});
