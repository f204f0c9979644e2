/** The run that seals all values: how it ends and what it stores, on each kind of database. */
import { randomUUID } from 'node:crypto';
import { type ClaimedRun, type Store, StoreError } from '@dowel/installation-store';
import { type TestDatabase, testDatabases } from '@dowel/installation-store/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { workOnReencryption } from './reencryption.ts';

const total = 900;
const actor = { who: 'ada', role: 'owner', way: 'page', from: null } as const;
const run = { action: 'reencrypt', reason: 'Once a year', actor, accountRevision: null } as const;

for (const { name, isAvailable, create } of testDatabases) {
  describe.skipIf(!isAvailable)(`the run that seals all values on ${name}`, () => {
    let database: TestDatabase;
    let store: Store;
    let claimed: ClaimedRun;

    beforeEach(async () => {
      database = await create();
      store = await database.open();
      const id = randomUUID();
      await store.runs.begin({ ...run, id, ids: [], total });
      const claim = await store.runs.claim(60_000, id);
      if (!claim) throw new Error('The run cannot be claimed');
      claimed = claim;
    });

    afterEach(async () => {
      vi.useRealTimers();
      await database.destroy();
    });

    /** @param reencrypt in place of the store's, which takes seconds to find that it cannot end. */
    const work = (reencrypt: Store['reencrypt']) =>
      workOnReencryption(
        {
          store: { audit: store.audit, runs: store.runs, reencrypt },
          logger: { error: () => {} },
          closing: new AbortController().signal,
        },
        claimed,
      );

    const readRun = () => store.runs.find(claimed.id);

    async function readAudit() {
      const { entries } = await store.audit.list({ action: 'reencrypt', limit: 9 });
      return entries.map(({ result, meaning }) => ({ result, meaning }));
    }

    test('is stopped, with what it has sealed, when a process keeps sealing with an old key', async () => {
      await work(async ({ onProgress } = {}) => {
        await onProgress?.({ resealed: total, total });
        throw new StoreError('KEY_UNUSABLE', 'Sealed with an old key again and again.');
      });

      expect(await readRun()).toMatchObject({ state: 'stopped', done: total, failed: 0 });
      expect(await readAudit()).toEqual([
        { result: 'failed', meaning: { kind: 'sealed_by_others' } },
      ]);
    });

    test('says in the audit that it was stopped before its end', async () => {
      await work(async ({ onProgress, signal } = {}) => {
        await store.runs.requestStop(claimed.id);
        await onProgress?.({ resealed: 300, total });
        return { activeKeyId: 'k2', resealed: 300, unreadable: [], isWhole: !signal?.aborted };
      });

      expect(await readRun()).toMatchObject({ state: 'stopped', done: 300 });
      expect(await readAudit()).toEqual([
        { result: 'done', meaning: { kind: 'resealed_part', count: 300, keyId: 'k2' } },
      ]);
    });

    test('F28: notices a stop while it passes over values that have the newest key', async () => {
      vi.useFakeTimers({ toFake: ['performance'] });

      await work(async ({ onProgress, signal } = {}) => {
        await store.runs.requestStop(claimed.id);
        await onProgress?.({ resealed: 0, total });
        expect(signal?.aborted).toBe(false);
        vi.advanceTimersByTime(1_000);
        await onProgress?.({ resealed: 0, total });
        return { activeKeyId: 'k2', resealed: 0, unreadable: [], isWhole: !signal?.aborted };
      });

      expect(await readRun()).toMatchObject({ state: 'stopped', done: 0 });
    });
  });
}
