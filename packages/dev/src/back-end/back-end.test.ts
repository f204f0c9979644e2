import { once } from 'node:events';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { collectLines, type Lines } from '../testing/collect-lines.ts';
import { makePluginFolder } from '../testing/make-folder.ts';
import { type BackEnd, createBackEnd } from './back-end.ts';
import { findCommand } from './find-command.ts';

const forever = new AbortController().signal;
const listens = `require('node:http').createServer((_, s) => s.end('hello')).listen(process.env.PORT);`;
let backEnd: BackEnd;
let lines: Lines;

afterEach(() => backEnd.close());

const onEnd = (how: string) => lines.say('server', how);

/** A program in Node, whose text a test may change before it starts again. */
function create(code: string): { code: string } {
  lines = collectLines();
  const program = { code };
  backEnd = createBackEnd({
    root: import.meta.dirname,
    command: {
      file: process.execPath,
      get args() {
        return ['--eval', program.code];
      },
      hasChannel: false,
    },
    environment: (port) => ({ ...process.env, PORT: String(port) }),
    say: lines.say,
    onEnd,
  });
  return program;
}

async function ask(port: number | undefined): Promise<string> {
  const [answer] = await once(get({ host: 'localhost', port, agent: false }), 'response');
  return text(answer);
}

test('it is ready when it listens, and each start has another port', async () => {
  create(listens);
  await backEnd.restart();
  const first = await backEnd.port(forever);

  expect(await ask(first)).toBe('hello');
  await backEnd.restart();
  const second = await backEnd.port(forever);

  expect(await ask(second)).toBe('hello');
  expect(second).not.toBe(first);
  await lines.seen('The back end is ready.', 2);
});

test('a Node program tells which of its files it has loaded, and its channel keeps it not alive', async () => {
  await using folder = await makePluginFolder({
    'package.json': '{ "type": "module" }',
    'server.js': `import './shared.js'; console.log('loaded');`,
    'shared.js': '',
    'other.js': '',
  });
  lines = collectLines();
  const { path: root } = folder;
  const command = findCommand(root, { server: undefined });
  backEnd = createBackEnd({ root, command, environment: () => process.env, say: lines.say, onEnd });
  await backEnd.restart();

  await lines.seen(/^The back end ended with code 0/);
  const loaded = ['server.js', 'shared.js', 'other.js'].map((name) =>
    backEnd.hasLoaded(join(root, name)),
  );
  expect(loaded).toEqual([true, true, false]);
});

test('one whose port another program has taken is started at another one, three times at most', async () => {
  // It does not listen at PORT itself, not even for a moment.
  const program = create(`const { createServer } = require('node:net');
    const other = createServer().listen(0, () => createServer().listen(other.address().port));`);
  await backEnd.restart();

  expect(await backEnd.port(forever)).toBeUndefined();
  expect(lines.all.filter(({ text }) => text.startsWith('Error: listen EADDRINUSE'))).toHaveLength(
    3,
  );
  await lines.seen(/^The back end ended with code 1/);

  await backEnd.restart();
  program.code = listens;
  expect(await ask(await backEnd.port(forever))).toBe('hello');
  await lines.seen(/^Error: listen EADDRINUSE/, 4);
});

test('one that never listens is waited for, until a change starts it again', async () => {
  const program = create(`console.log('alive'); setInterval(() => {}, 1_000);`);
  await backEnd.restart();
  const port = backEnd.port(forever);
  await lines.seen('alive');

  program.code = listens;
  await backEnd.restart();

  expect(await ask(await port)).toBe('hello');
});

test('one that ends with code 0 is no back end, and the line says what it must do', async () => {
  const program = create('');
  await backEnd.restart();

  expect(await backEnd.port(forever)).toBeUndefined();
  await lines.seen(
    /^The back end ended with code 0\. It must go on and listen at PORT, which is \d+\./,
  );
  program.code = listens;
  await backEnd.restart();
  expect(await ask(await backEnd.port(forever))).toBe('hello');
});

test('the end of one that fails names the line of the author', async () => {
  create(
    `throw Object.assign(new Error('no'), { stack: 'Error: no\\n    at ${import.meta.dirname}/main.ts:3:7' });`,
  );
  await backEnd.restart();

  await lines.seen('The back end ended with code 1. See main.ts:3:7.');
});

test('10 MB without a line break are one short line, which says how much is left out', async () => {
  const size = 10 * 2 ** 20;
  create(`process.stdout.write('x'.repeat(${size}), () => process.exit(1));`);
  await backEnd.restart();

  await lines.seen(`x … (${size - 16_384} more characters)`);
  expect(Math.max(...lines.all.map((line) => line.text.length))).toBeLessThan(17_000);
});

test.each([
  ['no-such-program', 'there is no program no-such-program'],
  [import.meta.dirname, `${import.meta.dirname} is no program that you may run`],
])('a program that does not exist is one line: %s', async (file, why) => {
  lines = collectLines();
  const command = { file, args: [], hasChannel: false };
  backEnd = createBackEnd({
    root: '/',
    command,
    environment: () => process.env,
    say: lines.say,
    onEnd,
  });
  await backEnd.restart();

  expect(await backEnd.port(forever)).toBeUndefined();
  await lines.seen(`The back end could not be started: ${why}.`);
});

test('a broken .env is one line, and the next start reads it again', async () => {
  lines = collectLines();
  let isBroken = true;
  const command = { file: process.execPath, args: ['--eval', listens], hasChannel: false };
  const environment = (port: number) => {
    if (isBroken) throw new SyntaxError('.env line 1 is broken');
    return { ...process.env, PORT: String(port) };
  };
  backEnd = createBackEnd({
    root: import.meta.dirname,
    command,
    environment,
    say: lines.say,
    onEnd,
  });
  await backEnd.restart();

  expect(await backEnd.port(forever)).toBeUndefined();
  await lines.seen('.env line 1 is broken');
  isBroken = false;
  await backEnd.restart();
  expect(await ask(await backEnd.port(forever))).toBe('hello');
});

test('the end reaches what the program has started, and a program that ignores SIGTERM', async () => {
  create(`
    const { spawn } = require('node:child_process');
    process.on('SIGTERM', () => {});
    const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1_000)']);
    console.log('child ' + child.pid);
    setInterval(() => {}, 1_000);
  `);
  await backEnd.restart();
  await lines.seen(/^child \d+$/);
  const pid = Number(lines.all.find((line) => line.text.startsWith('child'))?.text.split(' ')[1]);

  await backEnd.close();

  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
