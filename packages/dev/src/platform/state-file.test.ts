import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPlatform, type Snapshot } from '@dowel/emulator';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStateSaver, readStateFile, type StateFileError } from './state-file.ts';

const origin = 'http://localhost:4300';
let folder: string;
let path: string;
let errors: StateFileError[];
let current: Snapshot;
const snapshot = vi.fn(() => current);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-emulator-state-'));
  path = join(folder, 'emulator.json');
  errors = [];
  current = createPlatform({ origin, keyBits: 2048 }).snapshot();
  snapshot.mockClear();
});

afterEach(() => rm(folder, { recursive: true }));

const createSaver = (at = path) =>
  createStateSaver({ path: at, snapshot, onError: (error) => errors.push(error), delayMs: 5 });

async function failureOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: 'StateFileError' });
  return (error as StateFileError).message;
}

test('a saved state is read again, and only its owner may read the file', async () => {
  const saver = createSaver();

  saver.schedule();

  await expect.poll(() => readStateFile(path, origin)).toEqual(current);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['emulator.json']);
});

test('a burst of changes is saved once, in its latest state', async () => {
  const saver = createSaver();

  for (let sessions = 0; sessions < 3; sessions += 1) {
    current.sessions.push({ sessionId: String(sessions), userId: 'mara' });
    saver.schedule();
  }
  await saver.close();

  expect(snapshot).toHaveBeenCalledTimes(1);
  expect((await readStateFile(path, origin))?.sessions).toHaveLength(3);
});

test('a change during a save is saved after it', async () => {
  const saver = createSaver();
  snapshot.mockImplementationOnce(() => {
    const before = structuredClone(current);
    current.sessions.push({ sessionId: 'late', userId: 'mara' });
    saver.schedule();
    return before;
  });

  saver.schedule();

  await expect
    .poll(async () => (await readStateFile(path, origin))?.sessions)
    .toEqual([{ sessionId: 'late', userId: 'mara' }]);
});

test('nothing is written without a change or after the end', async () => {
  const saver = createSaver();

  await saver.close();
  saver.schedule();
  await saver.close();

  expect(await readdir(folder)).toEqual([]);
});

test('a file left by a crash is replaced, with its mode', async () => {
  await writeFile(`${path}.tmp`, '{"version":');
  await chmod(`${path}.tmp`, 0o644);
  const saver = createSaver();

  saver.schedule();
  await saver.close();

  expect(await readdir(folder)).toEqual(['emulator.json']);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('failing saves are reported once in one line, and continue when they can', async () => {
  const late = join(folder, 'late');
  const saver = createSaver(join(late, 'emulator.json'));

  saver.schedule();
  await expect.poll(() => errors.length).toBe(1);
  saver.schedule();
  await expect.poll(() => snapshot.mock.calls.length).toBe(2);
  await mkdir(late);
  await saver.close();

  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^The state cannot be written to .+emulator\.json \(ENOENT\): .+$/),
  ]);
  expect(await readdir(late)).toEqual(['emulator.json']);
});

test('a missing file is a fresh start', async () => {
  expect(await readStateFile(path, origin)).toBeUndefined();
});

test('a broken file is refused by name and kept', async () => {
  await writeFile(path, '{"version":1');

  expect(await failureOf(readStateFile(path, origin))).toBe(
    `the state in ${path} cannot be used: It is not JSON. Delete the file to start afresh.`,
  );
  expect(await readFile(path, 'utf8')).toBe('{"version":1');
});

test('a file of another port is refused by name', async () => {
  await writeFile(path, JSON.stringify(current));

  expect(await failureOf(readStateFile(path, 'http://localhost:4301'))).toMatch(
    /belongs to http:\/\/localhost:4300, and this is http:\/\/localhost:4301\. Set EMULATOR_PORT back, or delete the file to start afresh\.$/,
  );
});

test('a file that cannot be read is refused by name', async () => {
  expect(await failureOf(readStateFile(folder, origin))).toBe(
    `the state in ${folder} cannot be used: reading it fails with EISDIR.`,
  );
});
