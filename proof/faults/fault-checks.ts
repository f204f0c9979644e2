/** The checks of some faults: Dowel survives each of them, and a naive back end does not. */
import type { FaultName } from '@dowel/emulator';
import type { Judgement } from '@dowel/emulator/plays';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rows } from './fault-rows.ts';
import { type Begun, beginPlay, finishPlay, isGood, type World } from './play-fault.ts';
import { startDowel, startNaive } from './worlds.ts';

/** A fault of keys is for all installations. */
const isOfKeys = (name: FaultName) => name.startsWith('key.') || name === 'event.keyRotated';

export function checkFaults(names: readonly FaultName[]): void {
  describe.each([
    { backEnd: 'a back end of Dowel survives', start: startDowel, isSurvived: true },
    { backEnd: 'a naive back end does not survive', start: startNaive, isSurvived: false },
  ])('$backEnd', ({ start, isSurvived }) => {
    let world: World;
    const judgements = new Map<FaultName, Judgement>();

    beforeAll(async () => {
      world = await start();
      const finish = async (begun: Begun) => {
        judgements.set(begun.name, await finishPlay(world, begun));
      };
      const finishing: Promise<void>[] = [];
      for (const name of names.filter((each) => !isOfKeys(each))) {
        finishing.push(finish(await beginPlay(world, name, rows[name])));
      }
      await Promise.all(finishing);
      for (const name of names.filter(isOfKeys)) {
        await finish(await beginPlay(world, name, rows[name]));
      }
    });

    afterAll(() => world?.server.close());

    test.each(names)('%s', (name) => {
      const judgement = judgements.get(name) ?? 'waiting';

      expect({ judgement, isGood: isGood(judgement) }).toEqual({ judgement, isGood: isSurvived });
    });
  });
}
