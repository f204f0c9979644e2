/** A run whose beginning takes longer than its lease. */
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { minute } from '../contract/check.ts';
import { sqlite } from '../testing/index.ts';
import type { NewRun } from './run-store.ts';

const idsPerPart = 500;

async function open() {
  const database = await sqlite.create();
  onTestFinished(() => database.destroy());
  return { database, store: await database.open() };
}

/** @param beforePart called before each part is written, with its number */
function newRun(parts: number, beforePart: (part: number) => void): NewRun {
  const ids = Array.from({ length: parts * idsPerPart }, () => 'id');
  ids.slice = (begin = 0, end = 0) => {
    beforePart(begin / idsPerPart);
    return Array.from({ length: end - begin }, () => 'id');
  };
  const actor = { who: 'ada', role: 'operator', way: 'page', from: null } as const;
  const run = {
    id: randomUUID(),
    action: 'refresh',
    reason: 'why',
    accountRevision: null,
  } as const;
  return { ...run, actor, ids };
}

test('a run keeps its lease while its parts are written, and loses it a minute after they stop', async () => {
  const { database, store } = await open();
  const run = newRun(60, (part) => {
    if (part === 59) throw new Error('cut off');
    void database.shiftClock(2_000);
  });

  await expect(store.runs.begin(run)).rejects.toThrow('cut off');

  expect(await store.runs.claim(minute, run.id)).toBeUndefined();
  await database.shiftClock(minute + 1);
  expect(await store.runs.claim(minute, run.id)).toMatchObject({ id: run.id });
});

test('a run that another process has ended while its parts were written does not begin', async () => {
  const { database, store } = await open();
  const raw = new DatabaseSync((database.location as { path: string }).path);
  onTestFinished(() => raw.close());
  const run = newRun(3, (part) => {
    if (part === 1) raw.exec("update runs set ended_at = 1, state = 'stopped'");
  });

  expect(await store.runs.begin(run)).toBe(false);

  expect(await store.runs.claim(minute, run.id)).toBeUndefined();
  expect(await store.runs.find(run.id)).toMatchObject({ state: 'stopped' });
});
