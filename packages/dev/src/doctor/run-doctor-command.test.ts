/** `dowel doctor` against back ends in plain Node. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reportSchema } from '@dowel/conformance';
import { type PlainBackEnd, startBackEnd, startPlainBackEnd } from '@dowel/conformance/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callCommand } from '../testing/call-command.ts';
import { makePluginFolder } from '../testing/make-folder.ts';
import { type DoctorContext, runDoctorCommand } from './run-doctor-command.ts';

const callModule = `export const prepare = () => Promise.reject(new Error('no session'));`;
let backEnd: PlainBackEnd;
let folder: Awaited<ReturnType<typeof makePluginFolder>>;

beforeEach(async () => {
  backEnd = await startPlainBackEnd();
  folder = await makePluginFolder({ 'call.mjs': callModule });
});
afterEach(async () => {
  await backEnd.close();
  await folder[Symbol.asyncDispose]();
});

const file = (name: string) => join(folder.path, name);

/** Runs the command for a back end that trusts it. */
function examine(
  args: readonly string[],
  { target = backEnd, ...context }: { target?: PlainBackEnd } & Partial<DoctorContext> = {},
) {
  const doctor = { keyBits: 2048, onListening: target.trust };
  return run([target.manifestUrl, '--origin', 'http://localhost:0', ...args], {
    doctor,
    ...context,
  });
}

function run(args: readonly string[], context: Partial<DoctorContext> = {}) {
  const command: typeof runDoctorCommand = (all, given) =>
    runDoctorCommand(all, { ...given, ...context });
  return callCommand(command, args, folder.path);
}

test('checks that pass end with 0, and --only shows them', async () => {
  const { code, out, err } = await examine(['--only', 'manifest.valid,reception.form']);

  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^2 pass\n\npass {6}manifest\.valid {2}The manifest is/);
  expect(out).toMatch(
    /\nThe platform of this run was http:\/\/localhost:\d+\. It took [\d.]+ s\.\n$/,
  );
});

test('a must that failed ends with 1, with its messages and in each form', async () => {
  const wrong = await startPlainBackEnd({ mistake: 'page.framing' });
  const only = ['--only', 'page.framing', '--only', 'reception.form'];

  const text = await examine([...only, '--trace', '--junit', 'report.xml'], { target: wrong });
  const json = await examine([...only, '--json'], { target: wrong });

  expect(text.code).toBe(1);
  expect(text.out).toMatch(/^1 must failed, 1 pass\n\nmust {6}page\.framing .*\n +saw {2}/);
  expect(text.out).toContain(
    `more dowel doctor ${wrong.manifestUrl} --origin http://localhost:0 --only page.framing --trace\n`,
  );
  expect(text.out).toContain('/events/install');
  expect(await readFile(file('report.xml'), 'utf8')).toContain('failures="1"');
  expect(json.code).toBe(1);
  expect(reportSchema.parse(JSON.parse(json.out)).counts).toMatchObject({ fail: 1, pass: 1 });
  await wrong.close();
});

test('a report whose JUnit file cannot be written is printed all the same', async () => {
  const { code, out, err } = await examine([
    '--only',
    'manifest.valid',
    '--junit',
    'no/report.xml',
  ]);

  expect(code).toBe(2);
  expect(out).toMatch(/^1 pass\n/);
  expect(err).toMatch(/^--junit is wrong\. ENOENT/);
});

test('a known finding ends with 0, and with 1 when it is gone', async () => {
  const wrong = await startPlainBackEnd({ mistake: 'page.framing' });
  await writeFile(file('known.json'), '{"page.framing":{"reason":"x","date":"2026-11-29"}}');
  const args = ['--only', 'page.framing', '--known', 'known.json'];

  expect(await examine(args, { target: wrong })).toMatchObject({ code: 0 });
  expect(await examine(args)).toMatchObject({
    code: 1,
    out: expect.stringContaining('page.framing passes: remove it'),
  });
  await wrong.close();
});

test('a port that is taken ends with 3, and the line says what to do', async () => {
  const { code, err } = await run([
    backEnd.manifestUrl,
    '--origin',
    new URL(backEnd.manifestUrl).origin,
  ]);

  expect(code).toBe(3);
  expect(err).toMatch(
    /^Port \d+ is taken\. Stop the emulator that listens there, or examine the back end on its page/,
  );
});

test('a module makes the back end call', async () => {
  const { code, out } = await examine([
    '--only',
    'manifest.valid',
    '--call',
    './call.mjs',
    '--json',
  ]);

  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    callControl: '--call could not open a page: no session',
  });
});

test('an operation of a back end of Dowel is called in a session', async () => {
  const call = 'dowel:createNotification';

  const { code, out } = await examine(['--only', 'manifest.valid', '--call', call, '--json']);

  expect(code).toBe(0);
  expect(JSON.parse(out).callControl).toMatch(/^--call could not open a page: .*answered 404/);
});

test('a back end that runs already is not started', async () => {
  const { code, err } = await examine(['--start', 'node server.js']);

  expect(code).toBe(3);
  expect(err).toMatch(/^Something answers at .* already\. End it, or leave out --start\.\n$/);
});

test('what the command of --start says is no command for the terminal', async () => {
  const { manifestUrl } = backEnd;
  await backEnd.close();

  const start = `printf '\\033[2Jred\\nline' >&2; exit 3`;
  const { code, err } = await run(
    [manifestUrl, '--origin', 'http://localhost:0', '--start', start],
    {
      doctor: { keyBits: 2048 },
    },
  );

  expect(code).toBe(3);
  expect(err).toBe('--start did not start the back end. It ended: exit code 3. red\nline\n');
});

test('JSON has no character that a terminal obeys', async () => {
  const body = '\u001B[2J\u009B2J\u007F\u202E';
  const odd = await startBackEnd((_, response) => {
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ body }));
  });
  const args = ['--only', 'reception.form', '--trace', '--json'];

  const { out } = await run([odd.manifestUrl, '--origin', 'http://localhost:0', ...args], {
    doctor: { keyBits: 2048 },
  });

  expect(out).not.toMatch(/[^\n\P{Cc}]|\p{Bidi_Control}/u);
  const [result] = reportSchema.parse(JSON.parse(out)).results;
  expect(result?.exchanges?.at(-1)?.answer).toContain('\u009B2J');
  await odd.close();
});

test('a terminal shows how many checks are done', async () => {
  const written: string[] = [];
  const terminal = { write: (text: string) => written.push(text) } as never;

  await examine(['--only', 'manifest.valid'], { terminal });

  expect(written).toEqual(['\r\u001B[2K1 of 1 checks, 0 findings', '\r\u001B[2K']);
});

test('a check is explained', async () => {
  const { code, out } = await run(['--explain', 'refuse.noExp']);

  expect(code).toBe(0);
  expect(out).toMatch(/^refuse\.noExp\n {2}An event without .*\n {2}severity {3}should/);
});

test.each([
  [[], 'Which back end? Give the URL of its manifest.'],
  [['localhost:3000'], 'The URL of the manifest must be an http(s) URL.'],
  [['http://a.example/m.json'], 'a.example is not this machine.'],
  [['http://localhost:1/m.json', '--only', 'refuse.tampred'], 'Did you mean refuse.tampered?'],
  [['http://localhost:1/m.json', '--origin', 'localhost'], '--origin must be an http(s) URL'],
  [['http://localhost:1/m.json', '--origin', 'https://a.example'], 'also give --listen HOST:PORT'],
  [['http://localhost:1/m.json', '--listen', '192.0.2.1:4300'], 'The doctor cannot listen there'],
  [['http://localhost:1/m.json', '--listen', '4300'], '--listen must be HOST:PORT'],
  [['http://localhost:1/m.json', '--call', 'notify'], '--call is wrong. Write METHOD /path'],
  [['http://localhost:1/m.json', '--call', './no.mjs'], '--call is wrong. '],
  [['http://localhost:1/m.json', '--known', 'no.json'], '--known is wrong. ENOENT'],
  [['--explain', 'everything'], 'There is no check "everything".'],
  [['--fast'], "Unknown option '--fast'"],
])('%j is a misuse: the line says what is wrong', async (args, problem) => {
  const { code, out, err } = await run(args);

  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(problem);
});
