/** A token endpoint that fails for a while: the refresh is repeated, and no caller notices. */

import { refuses } from '@dowel/emulator/authorization-server';
import { createHeldTimer } from '@dowel/http/testing';
import { describe, expect, test } from 'vitest';
import { makeCalls } from './make-calls.ts';
import { clean, describeEach, patience, settings, shareWorld } from './scenario.ts';
import { usualServers } from './servers.ts';

describeEach(settings, (options) => {
  const world = shareWorld(options);
  const count = 200 / options.processes;

  test.each([
    ['one 503', refuses(503)],
    ['a 500 in HTML', refuses(500, '<h1>Internal Server Error</h1>')],
    ['a 429 without Retry-After', refuses(429)],
    ['a 403 and nothing else', refuses(403, 'Forbidden')],
    ['a 404 of a server that restarts', refuses(404)],
    ['JSON that is not a token response', refuses(200, {})],
    ['a page with 200', refuses(200, '<h1>Under maintenance</h1>')],
    ['temporarily_unavailable', refuses(400, { error: 'temporarily_unavailable' })],
    ['slow_down', refuses(400, { error: 'slow_down' })],
  ])('%s costs one more token request, and all calls succeed', async (_, fault) => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    installation.refreshFaults = [fault];

    const outcomes = await world().callAll({ installationIds: [installation.id], count });

    expect(outcomes).toEqual({ 201: 200 });
    expect(installation.tally).toMatchObject({
      ...clean,
      refreshes: 2,
      maxPresentations: 2,
      accepted: 200,
    });
  });

  test('a 429 with Retry-After is obeyed by every process, and all calls succeed', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    const arrivals: number[] = [];
    const before = async () => arrivals.push(performance.now());
    installation.refreshFaults = [
      { before, ...refuses(429, {}, { 'retry-after': '1' }) },
      { before },
    ];

    const outcomes = await world().callAll({ installationIds: [installation.id], count });

    expect(outcomes).toEqual({ 201: 200 });
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 2, accepted: 200 });
    const [first = 0, second = 0] = arrivals;
    expect(second - first).toBeGreaterThanOrEqual(990);
  });

  test('three failures lead to one trigger, and all calls succeed with the new event', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    installation.standingFault = refuses(503);

    const outcomes = await world().callAll({ installationIds: [installation.id], count });

    expect(outcomes).toEqual({ 201: 200 });
    expect(installation.tally).toMatchObject({
      ...clean,
      refreshes: 3,
      triggers: 1,
      exchanges: 1,
      accepted: 200,
    });
  });
});

describe.each(usualServers)('one process on $server', (options) => {
  const world = shareWorld(options);
  /** The time limits of both presentations end when the test says so. */
  const createPatientClient = () => {
    const timer = createHeldTimer((ms) => ms === patience.attemptTimeoutMs);
    return { timer, client: world().createClient({ timer, policy: patience }) };
  };
  /** The server may get the second request before it detects that the first was aborted. */
  const twice = { reuses: 0, strangers: 0, refreshes: 2, maxPresentations: 2, accepted: 200 };

  test('a refresh that is never answered is tried once more, and all calls succeed', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    installation.refreshFaults = [{ hangs: true }];
    const { client, timer } = createPatientClient();

    const calls = makeCalls(client, { installationIds: [installation.id], count: 200 });
    await expect.poll(() => installation.tally.refreshes).toBe(1);
    timer.end();

    expect(await calls).toEqual({ 201: 200 });
    expect(installation.tally).toMatchObject({ ...twice, triggers: 0 });
  });

  test('a token endpoint that never answers is left alone after two requests', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    installation.standingFault = { hangs: true };
    const { client, timer } = createPatientClient();

    const calls = makeCalls(client, { installationIds: [installation.id], count: 200 });
    for (const presentations of [1, 2]) {
      await expect.poll(() => installation.tally.refreshes).toBe(presentations);
      timer.end();
    }

    expect(await calls).toEqual({ 201: 200 });
    expect(installation.tally).toMatchObject({ ...twice, triggers: 1, exchanges: 1 });
  });

  test('while the current token is valid, a slow refresh delays no call, and is requested once', async () => {
    const installation = await world().install();
    const released = Promise.withResolvers<void>();
    installation.standingFault = { before: () => released.promise };
    const inTheMargin = Date.now() + 3_595_000;
    const client = world().createClient({
      now: () => inTheMargin,
      policy: { ...patience, livingWaitMs: 1 },
    });

    const outcomes = await makeCalls(client, { installationIds: [installation.id], count: 20 });

    expect(outcomes).toEqual({ 201: 20 });
    await expect.poll(() => installation.tally.maxRefreshesInFlight).toBe(1);
    expect(installation.tally).toMatchObject({ ...clean, accepted: 20, refused: 0, issued: 0 });
    released.resolve();
    await expect.poll(() => world().tokenVersion(installation.id)).toBe(2);
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 1 });
  });

  test('while the token in hand lives, an outage costs no call and no trigger', async () => {
    const installation = await world().install();
    installation.standingFault = refuses(503);
    const inTheMargin = Date.now() + 3_595_000;
    const client = world().createClient({ now: () => inTheMargin });

    const outcomes = await makeCalls(client, { installationIds: [installation.id], count: 200 });

    expect(outcomes).toEqual({ 201: 200 });
    expect(installation.tally).toMatchObject({ ...clean, refreshes: 3, accepted: 200, refused: 0 });
  });
});
