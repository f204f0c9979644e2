/** What a 401 leads to (Spec §5). */

import type { Caller } from '../call/caller.ts';
import { blocked, checksOf, open, requireNoLimit, wrong } from '../check.ts';
import type { Trial } from '../world/trial.ts';
import { requireCalm } from './call-checks.ts';
import { clientOf, requireBasic, requireHiddenSecret } from './exchange-checks.ts';

const needs = ['apiAccess', 'call'] as const;
const healSeconds = 12;
const callsAtOnce = 20;

export const refreshChecks = checksOf(needs, [
  {
    id: 'refresh.expired',
    claim: 'A call with an expired token refreshes it, and is repeated.',
    reference: 'Spec §5',
    why: 'Otherwise each person who comes first after the expiry sees an error.',
    seen: 'Moves the platform’s clock by an hour, and calls once. If that fails, repeats it with tokens that live 12 s.',
    fix: 'After a 401: refresh, then repeat the call once.',
    run: expireOnce,
  },
  {
    id: 'refresh.basic',
    claim: 'A refresh is authenticated by HTTP Basic, and has the secret nowhere else.',
    reference: 'RFC 6749 §6',
    severity: 'should',
    why: 'A server that accepts Basic only refuses each refresh, and URLs stand in logs.',
    seen: 'Reads the header, the query and the body of a refresh.',
    fix: 'Send a refresh as you send the exchange.',
    async run(trial) {
      const caller = await trial.ready();
      trial.expireTokens();
      await caller.call();
      await trial.until(() => trial.exchanges('refresh').length > 0, 3);
      const [refresh] = trial.exchanges('refresh');
      if (!refresh) throw blocked('There was no refresh', 'refresh.expired');
      const client = clientOf(trial);
      requireBasic(refresh.headers.authorization ?? '', client);
      requireHiddenSecret(refresh, client);
    },
  },
  {
    id: 'refresh.singleFlight',
    claim: '20 calls that get a 401 at the same time start one refresh, and all of them succeed.',
    reference: 'Spec §5',
    why: 'A refresh token works once: the second refresh ends all tokens of the installation.',
    seen: 'Sends 20 calls. The platform holds their 401s until the last one has come, and sends them together.',
    fix: 'Keep one promise (or lock) for the refresh of an installation. Each call that gets a 401 waits for it.',
    async run(trial) {
      const caller = await trial.ready();
      await requireCalm(trial, caller);
      const off = trial.fault('api.unauthorized', {
        times: callsAtOnce,
        hold: callsAtOnce,
        sameToken: true,
      });
      const sent = await caller.calls(callsAtOnce);
      off();
      for (const call of sent) requireNoLimit(call);
      const lost = () => sent.filter((call) => !caller.hasArrived(call)).length;
      await trial.until(() => lost() === 0, 8);
      requireOneRefresh(trial);
      if (lost() > 0) throw wrong(`${lost()} of ${callsAtOnce} calls were lost`);
    },
  },
  {
    id: 'refresh.lateAnswer',
    claim: 'A 401 for the old token that comes after the refresh starts no second refresh.',
    reference: 'Spec §5',
    why: 'The slow call would end the tokens that the fast one has just got.',
    seen: 'Holds the 401 of one call until the refresh of another one is over.',
    fix: 'Before you refresh, compare the token that was refused with the current one.',
    async run(trial) {
      const caller = await trial.ready();
      await requireCalm(trial, caller);
      const before = trial.exchanges('api').length;
      trial.fault('api.unauthorized', { until: 'refresh' });
      const slow = caller.call();
      const hasCome = () => trial.exchanges('api').length > before;
      if (!(await trial.until(hasCome, 3))) throw blocked('No call came', 'call.bearer');
      trial.fault('api.unauthorized');
      await Promise.all([caller.call(), slow]);
      await trial.settle();
      requireOneRefresh(trial);
      const sent = await slow;
      if (!(await trial.until(() => caller.hasArrived(sent), 3)))
        throw wrong('The slow call was lost');
    },
  },
  {
    id: 'refresh.rotation',
    claim: 'The second refresh uses the refresh token of the first.',
    reference: 'Spec §4.2, §5',
    why: 'The old refresh token is spent: presenting it again ends all tokens.',
    seen: 'Lets the access token expire three times, and looks for refused refreshes.',
    fix: 'Store the `refresh_token` of every answer in the same write as the access token.',
    async run(trial) {
      const caller = await trial.ready();
      for (let round = 1; round <= 3; round += 1) {
        trial.expireTokens();
        const heals = await caller.heals(healSeconds);
        requireNoRefusedRefresh(trial);
        requireRefresh(trial);
        if (!heals) throw wrong(`After expiry ${round} no call arrived within ${healSeconds} s`);
      }
      if (trial.exchanges('refresh').length < 2) throw open('There was no second refresh');
    },
  },
  {
    id: 'refresh.omitted',
    claim: 'A refresh answer without `refresh_token` keeps the old one.',
    reference: 'RFC 6749 §6',
    severity: 'should',
    why: 'The plug-in would ask the platform for new access at each expiry.',
    seen: 'Leaves `refresh_token` out of refresh answers, and lets the access token expire twice.',
    fix: '`new.refresh_token ?? old.refresh_token`.',
    async run(trial) {
      const caller = await trial.ready();
      trial.world.platform.changeLab(trial.tenantId, { refreshTokens: 'omit' });
      for (let round = 1; round <= 2; round += 1) {
        trial.expireTokens();
        const heals = await caller.heals(healSeconds);
        requireRefresh(trial);
        if (!heals) throw wrong(`After expiry ${round} no call arrived`);
      }
      const triggers = trial.exchanges('trigger').length;
      if (triggers > 0)
        throw wrong(`There were ${triggers} triggers, although the refresh token lives`);
    },
  },
  {
    id: 'refresh.lost',
    claim: 'After a lost refresh answer the plug-in asks for a new event, and works again.',
    reference: 'Spec §5',
    why: 'The refresh token is spent, and the next one is lost: without a trigger the plug-in never gets access again.',
    seen: 'Processes a refresh and cuts the connection; then calls for up to 12 s.',
    fix: 'Any failure of a refresh leads to the trigger (Spec §4.3).',
    async run(trial) {
      const caller = await trial.ready();
      const off = trial.fault('token.lostAnswer', { on: 'refresh' });
      trial.expireTokens();
      const heals = await caller.heals(healSeconds);
      if (off.hits === 0) throw blocked('There was no refresh', 'refresh.expired');
      if (!heals) throw wrong(`No call arrived within ${healSeconds} s`);
    },
  },
  {
    id: 'refresh.unavailable',
    claim: 'After a short time of 503 at the token endpoint the plug-in works again.',
    reference: 'Spec §5',
    severity: 'should',
    why: 'A restart of the platform would end the access of all tenants.',
    seen: 'Answers refreshes with 503 for 0.6 s, then calls for up to 12 s.',
    fix: 'Keep the refresh token while the endpoint is only unavailable, and try later.',
    async run(trial) {
      const caller = await trial.ready();
      const off = trial.fault('token.unavailable', { on: 'refresh', times: 'always' });
      trial.expireTokens();
      await Promise.all([caller.call(), trial.until(() => false, 0.6)]);
      off();
      if (off.hits === 0) throw blocked('There was no refresh', 'refresh.expired');
      if (!(await caller.heals(healSeconds)))
        throw wrong(`No call arrived within ${healSeconds} s`);
    },
  },
  {
    id: 'refresh.noLoop',
    claim:
      'An API that answers fresh tokens with 401, too, is not answered with endless refreshes.',
    reference: 'Spec §5',
    why: 'The plug-in would spend tokens as fast as the network allows, for all its tenants.',
    seen: 'Answers each call with 401, sends one call, and counts refreshes and triggers for 2.5 s.',
    fix: 'Refresh once for a call. After the second 401 give up.',
    async run(trial) {
      const caller = await trial.ready();
      await requireCalm(trial, caller);
      const off = trial.fault('api.unauthorized', { times: 'always' });
      void caller.call();
      await trial.until(() => countRenewals(trial) > 2, 2.5);
      off();
      const renewals = countRenewals(trial);
      if (off.hits === 0) throw blocked('No call came', 'call.bearer');
      if (renewals > 2) throw wrong(`There were ${renewals} refreshes and triggers in 2.5 s`);
    },
  },
  {
    id: 'refresh.not403',
    claim: '403, 404, 429 and 500 of the API refresh nothing.',
    reference: 'Spec §7',
    severity: 'should',
    why: 'A refresh changes nothing about them, and spends tokens.',
    seen: 'Answers four calls with 403, 404, 429 and 500, and counts refreshes and triggers.',
    fix: 'Only 401 says that the token is not valid.',
    async run(trial) {
      const caller = await trial.ready();
      await requireCalm(trial, caller);
      const seen: number[] = [];
      for (const status of [403, 404, 429, 500]) {
        const off = trial.fault('api.status', { status });
        await caller.call();
        await trial.settle();
        off();
        if (countRenewals(trial) > 0) throw wrong(`Status ${status} led to a refresh or a trigger`);
        if (off.hits > 0) seen.push(status);
      }
      if (seen.length === 0) throw blocked('No call came', 'call.bearer');
      // After 429 a back end may call later.
      return seen.length === 4 ? undefined : `It called for ${seen.join(', ')} only.`;
    },
  },
  {
    id: 'refresh.longLife',
    claim: 'A token that lives for ten years is not refreshed before a 401.',
    reference: 'Spec §2.3',
    severity: 'should',
    why: 'A timer of more than 24.8 days ends at once in JavaScript, and larger numbers overflow in other languages.',
    seen: 'Installs with an `expires_in` of ten years, waits for a second, and looks for a refresh. Then moves the platform’s clock by an hour, and calls for up to 12 s.',
    fix: 'Limit the time of a timer, or compare points in time when a call comes.',
    run: liveLong,
  },
]);

const tenYearsSeconds = 315_360_000;

async function liveLong(trial: Trial): Promise<void> {
  const set = { expires_in: tenYearsSeconds };
  trial.fault('token.answer', { on: 'code', times: 'always', set });
  const { failure } = await trial.install();
  if (failure) throw wrong(failure.message);
  await trial.until(() => trial.exchanges('refresh').length > 0, 1);
  if (trial.exchanges('refresh').length > 0) throw wrong('It was refreshed at once');
  const caller = await trial.openCaller();
  trial.expireTokens();
  const heals = await caller.heals(healSeconds);
  requireRefresh(trial);
  if (!heals) throw wrong('After a 401 no call arrived');
}

async function expireOnce(trial: Trial): Promise<string | undefined> {
  const caller = await trial.ready();
  await requireCalm(trial, caller);
  const before = trial.exchanges('api').length;
  trial.expireTokens();
  const sent = await caller.call();
  requireNoLimit(sent);
  await trial.until(() => caller.hasArrived(sent), 3);
  const seen = trial.exchanges('api').slice(before);
  if (!seen.some(({ status }) => status === 401)) throw blocked('No 401 was seen', 'call.calm');
  if (caller.hasArrived(sent)) {
    if (trial.exchanges('refresh').length === 0) throw wrong('It triggered, and did not refresh');
    requireOneRefresh(trial);
  }
  if (await refreshesEarly(trial, caller)) {
    return 'It refreshes only before the expiry: a token that ends early would fail its calls.';
  }
  throw wrong(
    `After the 401 there were ${trial.exchanges('refresh').length} refreshes, and the call did not arrive`,
  );
}

const shortLifeSeconds = 12;

/** A back end that looks at its own clock does not see that the platform's has moved. */
async function refreshesEarly(trial: Trial, caller: Caller): Promise<boolean> {
  const { platform } = trial.world;
  platform.changeLab(trial.tenantId, { accessTokenLifetimeSeconds: shortLifeSeconds });
  await (await trial.prepare('access_token')).send();
  const before = trial.exchanges('refresh').length;
  await trial.until(() => trial.exchanges('refresh').length > before, shortLifeSeconds + 1);
  const sent = await caller.call();
  return trial.until(() => caller.hasArrived(sent), 3);
}

function requireOneRefresh(trial: Trial): void {
  const count = trial.exchanges('refresh').length;
  if (count > 1) throw wrong(`There were ${count} refreshes`);
  requireRefresh(trial);
}

/** @throws Finding `blocked` if the back end has never refreshed */
export function requireRefresh(trial: Trial): void {
  if (trial.exchanges('refresh').length === 0)
    throw blocked('There was no refresh', 'refresh.expired');
}

function requireNoRefusedRefresh(trial: Trial): void {
  const refused = trial.exchanges('refresh').find(({ status }) => status === 400);
  if (refused)
    throw wrong(`A refresh was refused: ${refused.error?.message || refused.error?.code}`);
}

function countRenewals(trial: Trial): number {
  return trial.exchanges('refresh').length + trial.exchanges('trigger').length;
}
