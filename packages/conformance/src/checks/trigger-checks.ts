/** What helps when no refresh can: the trigger of a new event (Spec §4.3, §5). */
import type { Exchange } from '@dowel/emulator';
import { blocked, checksOf, requireNoLimit, wrong } from '../check.ts';
import type { Trial } from '../world/trial.ts';
import { requireCalm } from './call-checks.ts';
import { requireRefresh } from './refresh-checks.ts';

const needs = ['apiAccess', 'call'] as const;
const healSeconds = 12;
const callsAtOnce = 10;

export const triggerChecks = checksOf(needs, [
  {
    id: 'trigger.deadRefreshToken',
    claim: 'A refused refresh leads to a trigger, and calls work with the tokens of the new event.',
    reference: 'Spec §4.3, §5',
    why: 'Without it, somebody must install the plug-in again in each tenant.',
    seen: 'Revokes all tokens, then calls for up to 12 s.',
    fix: 'POST to `client.trigger_event`, wait for the event, and repeat the call.',
    async run(trial) {
      const heals = await callWithoutTokens(trial);
      if (trial.exchanges('trigger').length === 0) {
        requireRefresh(trial);
        throw wrong(describeMissing(trial));
      }
      if (!heals) throw wrong(`There was a trigger, and no call arrived within ${healSeconds} s`);
    },
  },
  {
    id: 'trigger.noRefreshToken',
    claim: 'Without a refresh token, an expired access token leads to a trigger at once.',
    reference: 'Spec §5',
    why: 'The refresh token is optional: such a tenant has no access after the first hour.',
    seen: 'Gives no refresh token, moves the platform’s clock by an hour, and calls for up to 12 s.',
    fix: 'If there is no refresh token, trigger.',
    async run(trial) {
      const { platform } = trial.world;
      platform.changeLab(trial.tenantId, { givesRefreshToken: false });
      const caller = await trial.ready();
      trial.expireTokens();
      const heals = await caller.heals(healSeconds);
      const refreshes = trial.exchanges('refresh').length;
      if (refreshes > 0) throw wrong(`There were ${refreshes} refreshes without a refresh token`);
      if (trial.exchanges('trigger').length === 0) throw wrong(describeMissing(trial));
      if (!heals) throw wrong(`There was a trigger, and no call arrived within ${healSeconds} s`);
    },
  },
  {
    id: 'trigger.wire',
    claim:
      'The trigger is a POST of the given body, verbatim, as `application/json;charset=UTF-8`.',
    reference: 'Spec §4.3',
    why: 'The body has the token that authorizes the trigger, and its shape is the platform’s own.',
    seen: 'Revokes all tokens, calls, and reads method, content type and body of the trigger.',
    fix: 'Send `client.trigger_event.body` unchanged.',
    async run(trial) {
      await callWithoutTokens(trial);
      const [trigger] = trial.exchanges('trigger');
      if (!trigger) throw blocked('There was no trigger', 'trigger.deadRefreshToken');
      return requireWire(trial, trigger);
    },
  },
  {
    id: 'trigger.single',
    claim: '10 calls without usable tokens send one trigger.',
    reference: 'Spec §5',
    why: 'Each trigger sends an event whose exchange ends the tokens of the one before.',
    seen: 'Revokes the refresh token, holds the 401s of 10 calls, releases them together, and counts triggers.',
    fix: 'The trigger belongs to the same lock as the refresh.',
    async run(trial) {
      const caller = await trial.ready();
      await requireCalm(trial, caller);
      const { tenantId, pluginId } = trial;
      trial.world.platform.revoke({ tenantId, pluginId, what: 'refreshTokens' });
      trial.fault('api.unauthorized', { times: callsAtOnce, hold: callsAtOnce, sameToken: true });
      const sent = await caller.calls(callsAtOnce);
      for (const call of sent) requireNoLimit(call);
      await trial.settle();
      const triggers = trial.exchanges('trigger').length;
      if (triggers === 0) throw blocked('There was no trigger', 'trigger.deadRefreshToken');
      if (triggers > 1) throw wrong(`There were ${triggers} triggers`);
    },
  },
]);

/** Resolves with whether calls work again. */
async function callWithoutTokens(trial: Trial): Promise<boolean> {
  const caller = await trial.ready();
  const { tenantId, pluginId } = trial;
  trial.world.platform.revoke({ tenantId, pluginId, what: 'refreshTokens' });
  trial.expireTokens();
  return caller.heals(healSeconds);
}

/** A trigger that went to another address than the event's. */
function describeMissing({ world, id }: Trial): string {
  const { slug } = world.tenantOf(id);
  const stray = world.strayPaths().findLast((path) => path.includes(slug));
  const where = stray === undefined ? '' : `; a request went to ${stray.replace(slug, '<tenant>')}`;
  return `There was no trigger${where}`;
}

function requireWire(trial: Trial, { method, headers, body }: Exchange): string | undefined {
  const event = trial.exchanges('event').find((each) => each.event === 'access_token');
  const { trigger_event: given } = Object(event?.jwt?.claims.client) as {
    trigger_event?: { body?: string };
  };
  if (method !== 'POST') throw wrong(`It was a ${method}`);
  if (body !== given?.body) throw wrong('Its body was not the given one');
  const type = headers['content-type'] ?? 'none';
  const isGiven = /^application\/json; ?charset=utf-8$/i.test(type);
  return isGiven ? undefined : `Its content type was ${type}.`;
}
