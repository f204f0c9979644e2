/** Each fault of the platform is survived by a back end of Dowel, and not by a naive one. */
import { type FaultName, faultDescriptions } from '@dowel/emulator';
import { expect, test } from 'vitest';
import { checkFaults } from './fault-checks.ts';
import { namesOf } from './fault-rows.ts';
import { beginPlay, isGood } from './play-fault.ts';
import { startNaive } from './worlds.ts';

checkFaults(namesOf({ isSlow: false }));

test('a back end that sends no request is never good', async () => {
  const world = await startNaive();
  await using _server = world.server;
  const look = async (name: FaultName) => {
    const begun = await beginPlay(world, name, { mistake: 'doesNothing' });
    return [name, begun.look(120_000)] as const;
  };

  const judgements = await Promise.all(faultDescriptions.map(({ name }) => look(name)));

  expect(judgements.filter(([, judgement]) => isGood(judgement))).toEqual([]);
});
