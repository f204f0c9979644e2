/**
 * A token request that arrives after its sender gave it up and sent another one: a server that detects
 * reuse then revokes the tokens that the other one brought (RFC 9700 §4.14.2).
 */
import { refuses } from '@dowel/emulator/authorization-server';
import { systemTimer, type Timer } from '@dowel/http';
import type { AccessTokenEventPayload } from '@dowel/schema';
import type { TokenClient } from '@dowel/token-client';
import { exchangeTimeoutMs } from '@dowel/token-client';
import { receiveEvent } from '@dowel/token-client/testing';
import { describe, expect, test, vi } from 'vitest';
import {
  createGatewayThatGivesUp,
  createLateArrival,
  createTimerThatEnds,
} from './late-arrival.ts';
import { makeCalls } from './make-calls.ts';
import { patience, shareWorld } from './scenario.ts';
import { servers } from './servers.ts';

describe.each(servers)('on $server', (options) => {
  const world = shareWorld({ ...options, policy: patience });
  const attemptTimeoutMs = 29_111;
  const held = { type: 'fulfilled', value: expect.objectContaining({ outcome: 'held' }) };
  const post = { method: 'POST', body: '{}' };

  test('R2: tokens that a late presentation revoked are renewed once more, and no call notices', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    const late = createLateArrival();
    installation.refreshFaults = late.faults;
    const timer = createTimerThatEnds(attemptTimeoutMs, late.arrived);
    const client = world().createClient({ timer, policy: { ...patience, attemptTimeoutMs } });

    const outcomes = await makeCalls(client, { installationIds: [installation.id], count: 5 });

    expect(outcomes).toEqual({ 201: 5 });
    expect(installation.tally).toMatchObject({
      refreshes: 3,
      reuses: 1,
      maxPresentations: 2,
      triggers: 1,
      exchanges: 1,
    });
  });

  /**
   * Makes a call on another process while an event's exchange is overtaken, and lets the late request
   * arrive when the call waits for the lease. Resolves with the call's status.
   */
  async function callDuring(
    event: Promise<unknown>,
    installation: { id: string },
    { overtaken, goOn }: { overtaken: Promise<unknown>; goOn: () => void },
  ): Promise<number> {
    const acquire = vi.spyOn(world().store.renewals, 'acquire');
    await overtaken;
    const call = world().client.fetch(installation.id, '/things', post);
    await expect.poll(() => acquire.mock.settledResults).toContainEqual(held);
    goOn();
    await event;
    const { status } = await call;
    acquire.mockRestore();
    return status;
  }

  test('R2: another process, which only waited for those tokens, renews them as well', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    const goOn = Promise.withResolvers<void>();
    const late = createLateArrival(goOn.promise);
    installation.refreshFaults = late.faults;
    const timer = createTimerThatEnds(attemptTimeoutMs, late.arrived);
    const leader = world().createClient({ timer, policy: { ...patience, attemptTimeoutMs } });
    const waiting = world().createClient();
    const acquire = vi.spyOn(world().store.renewals, 'acquire');

    const refreshing = leader.invalidate(installation.id, 1);
    await late.overtaken;
    const call = waiting.fetch(installation.id, '/things', post);
    await expect.poll(() => acquire.mock.settledResults).toContainEqual(held);
    goOn.resolve();
    await refreshing;

    expect((await call).status).toBe(201);
    expect(installation.tally).toMatchObject({ refreshes: 3, reuses: 1, triggers: 1 });
    acquire.mockRestore();
  });

  test('T2: a refresh that a gateway gave up leaves the next one’s tokens in doubt', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    const late = createLateArrival();
    installation.refreshFaults = late.faults;
    const client = world().createClient({ tokenFetch: createGatewayThatGivesUp(late.arrived) });

    const outcomes = await makeCalls(client, { installationIds: [installation.id], count: 5 });

    expect(outcomes).toEqual({ 201: 5 });
    expect(installation.tally).toMatchObject({ refreshes: 3, reuses: 1, triggers: 1 });
  });

  /** The same event again, as a platform sends one that was not answered with 201. */
  function redeliver(client: TokenClient): void {
    const receive = (event: AccessTokenEventPayload) => receiveEvent(world().store, client, event);
    world().platform.onEvent((event) => receive(event).catch(() => receive(event)));
  }

  test('T8: tokens that a late exchange of their code revoked are renewed once more', async () => {
    const installation = await world().install();
    await world().platform.revokeGrants(installation);
    const goOn = Promise.withResolvers<void>();
    const late = createLateArrival(goOn.promise);
    installation.exchangeFaults = late.faults;
    const timer = createTimerThatEnds(exchangeTimeoutMs, late.arrived);

    redeliver(world().createClient({ timer }));
    const event = world().platform.sendEvent(installation);
    const status = await callDuring(event, installation, {
      overtaken: late.overtaken,
      goOn: goOn.resolve,
    });

    expect(status).toBe(201);
    expect(installation.tally).toMatchObject({
      exchanges: 3,
      reuses: 1,
      refreshes: 1,
      triggers: 1,
    });
    redeliver(world().client);
  });

  test('C06: an event’s tokens that the late code of another event ended are renewed once more', async () => {
    const installation = await world().install();
    await world().platform.revokeGrants(installation);
    const goOn = Promise.withResolvers<void>();
    const late = createLateArrival(goOn.promise);
    installation.exchangeFaults = late.faults;
    const timer = createTimerThatEnds(exchangeTimeoutMs, late.arrived);

    const receiver = world().createClient({ timer });
    world().platform.onEvent((event) => receiveEvent(world().store, receiver, event));
    await expect(world().platform.sendEvent(installation)).rejects.toMatchObject({
      reason: 'token_endpoint_unreachable',
    });
    const event = world().platform.sendEvent(installation);
    const status = await callDuring(event, installation, {
      overtaken: late.overtaken,
      goOn: goOn.resolve,
    });

    expect(status).toBe(201);
    expect(installation.tally).toMatchObject({ reuses: 0 });
    redeliver(world().client);
  });

  test('a refresh token has 14 seconds when it is presented first, and 5 when it is presented again', async () => {
    const installation = await world().install();
    await world().platform.revokeAccessTokens(installation);
    installation.refreshFaults = [refuses(504)];
    const limits: number[] = [];
    const after: Timer['after'] = (ms, callback) => {
      if (ms === 14_000 || ms === 5_000) limits.push(ms);
      return systemTimer.after(ms, callback);
    };
    const at = Date.now();
    const timer = { monotonic: () => 0, after };
    const client = world().createClient({ timer, now: () => at, policy: {} });

    expect((await client.fetch(installation.id, '/things', post)).status).toBe(201);

    expect(limits).toEqual([14_000, 5_000]);
    expect(installation.tally).toMatchObject({ refreshes: 2, triggers: 0 });
  });
});
