/** Without any hook, the observer is still called for broken installations. The server checks for them every 30 s. */
import { expect, test } from 'vitest';
import type { Observation } from '../observation.ts';
import { startWorld } from '../testing/start-world.ts';

const eventually = { interval: 100 };

test('without hooks, the observer is called when an installation breaks and when it recovers', async () => {
  const observed: Observation[] = [];
  let isDown = false;
  /** The tokens live for one second. */
  const shortLived: typeof fetch = async (input, init) => {
    if (!String(input).includes('/oauth')) return fetch(input, init);
    if (isDown) return new Response('{}', { status: 503 });
    const answer = await fetch(input, init);
    const tokens = (await answer.json()) as object;
    return Response.json({ ...tokens, expires_in: 1 }, { status: answer.status });
  };
  await using world = await startWorld({
    app: {
      fetch: shortLived,
      hookPolicy: { brokenAfterMs: 1 },
      observe: (observation) => observed.push(observation),
    },
  });
  const { instanceId, installationId } = await world.install();
  const session = await world.openSession(instanceId);
  const toldOf = (type: Observation['type']) => observed.find((each) => each.type === type);
  const grant = await world.store.grants.load(installationId);
  await expect.poll(() => Date.now(), eventually).toBeGreaterThan(grant?.expiresAt ?? NaN);

  isDown = true;
  const call = world.notify(session, 'Lunch?');
  await expect
    .poll(async () => {
      await world.heal();
      return toldOf('installation.broken');
    }, eventually)
    .toMatchObject({ installationId, reason: 'token_endpoint_answered_503' });
  isDown = false;
  await call;
  await expect
    .poll(async () => {
      await world.notify(session, 'Dinner?');
      return toldOf('installation.recovered');
    }, eventually)
    .toMatchObject({ installationId });
});
