/** Calls of the platform's API with a valid token (Spec §5.3). */
import type { Exchange } from '@dowel/emulator';
import type { Caller, SentCall } from '../call/caller.ts';
import { blocked, checksOf, requireNoLimit, wrong } from '../check.ts';
import { requireAcceptance, requireAnswer, type Trial, withoutAccess } from '../world/trial.ts';

const needs = ['apiAccess', 'call'] as const;
const arrivalSeconds = 3;

export const callChecks = checksOf(needs, [
  {
    id: 'call.bearer',
    claim: 'A call right after the installation carries the access token as bearer.',
    reference: 'Spec §5',
    why: 'The platform shows the plug-in as soon as it has the 201, and people use it at once.',
    seen: 'Installs without `apiAccess`, opens a page, adds `apiAccess` by an update, and calls right after its 201.',
    fix: 'Store the tokens before you answer 201, and send `Authorization: Bearer <access_token>`.',
    run: callAtOnce,
  },
  {
    id: 'call.calm',
    claim: 'Ten calls with a valid token refresh nothing.',
    reference: 'Spec §5',
    why: 'The plug-in must not refresh too often, and each refresh ends the token of the one before.',
    seen: 'Sends ten calls, one after the other, and counts refreshes.',
    fix: 'Refresh only after a 401, or shortly before the expiry.',
    async run(trial) {
      const caller = await trial.ready();
      const sent: SentCall[] = [];
      for (let count = 0; count < 10; count += 1) sent.push(await caller.call());
      await trial.settle();
      const refreshes = trial.exchanges('refresh').length;
      if (refreshes > 0) throw wrong(`There were ${refreshes} refreshes`);
      for (const call of sent) requireNoLimit(call);
      if (!sent.some(caller.hasArrived)) throw blocked('No call arrived', 'call.bearer');
    },
  },
  {
    id: 'unasked.used',
    claim: 'After an unasked `access_token` event the next call uses the new token.',
    reference: 'Spec §3, §5',
    why: 'The platform may end the old tokens when it sends new access, such as after a revocation.',
    seen: 'Sends `access_token` without a trigger, then a call, and compares its token with that of the exchange.',
    fix: 'Replace the stored tokens by those of the newest event.',
    async run(trial) {
      const caller = await trial.ready();
      requireAcceptance(await (await trial.prepare('access_token')).send());
      await trial.settle();
      const sent = await caller.call();
      await trial.until(() => caller.arrivals(sent).length > 0, arrivalSeconds);
      const [first] = caller.arrivals(sent);
      if (!first) throw wrong(`The call did not reach the platform: ${describeCall(sent)}`);
      if (bearerOf(first) !== newestToken(trial)) throw wrong('The call used an older token');
    },
  },
  {
    id: 'repeat.keepsTokens',
    claim: 'After an `access_token` event that came twice, calls still work.',
    reference: 'Spec §4.1',
    severity: 'should',
    why: 'The second exchange of a code ends the tokens of the first.',
    seen: 'Sends the same event twice, then calls for up to 3 s.',
    fix: 'Remember the code that was exchanged, and answer its repetition with 201.',
    async run(trial) {
      const caller = await trial.ready();
      const event = await trial.prepare('access_token');
      const jwt = await event.sign();
      requireAcceptance(await event.send({ jwt }));
      const repeated = await event.send({ jwt });
      if (!(await caller.heals(arrivalSeconds))) throw wrong('No call arrived within 3 s');
      requireAnswer(repeated);
    },
  },
]);

async function callAtOnce(trial: Trial): Promise<void> {
  await trial.installed(withoutAccess);
  const caller = await trial.openCaller();
  const failure = await trial.update();
  if (failure) throw blocked(`The update failed: ${failure.message}`, 'update.addsAccess');
  const sent = await caller.call();
  await trial.until(() => caller.hasArrived(sent), arrivalSeconds);
  const [first] = caller.arrivals(sent);
  if (!first) {
    requireNoLimit(sent);
    throw wrong(`The call did not reach the platform: ${describeCall(sent)}`);
  }
  const token = newestToken(trial);
  if (new URL(first.url).href.includes(token)) throw wrong('The access token stood in the URL');
  if (bearerOf(first) !== token) throw wrong('Authorization was not Bearer with the access token');
  if (!caller.hasArrived(sent)) throw wrong(`The platform answered ${first.status}`);
}

/** The newest access token that the platform has given. */
function newestToken(trial: Trial): string {
  const answers = [...trial.exchanges('code'), ...trial.exchanges('refresh')]
    .filter(({ status }) => status === 200)
    .sort((first, second) => first.id - second.id);
  const body = answers.at(-1)?.answer?.body ?? '{}';
  const { access_token: token } = JSON.parse(body) as { access_token?: string };
  if (token === undefined) throw blocked('There was no exchange', 'unasked.exchanged');
  return token;
}

function bearerOf({ headers }: Exchange): string {
  return headers.authorization?.replace(/^Bearer /i, '') ?? '';
}

/** In the back end's own words. */
function describeCall({ status, answer }: SentCall): string {
  return status === null ? `no answer (${answer})` : `status ${status} ${answer}`.trim();
}

/** Checks that count refreshes mean nothing for a back end that refreshes before each call. @throws Finding `blocked` */
export async function requireCalm(trial: Trial, caller: Caller): Promise<void> {
  requireNoLimit(await caller.call());
  await trial.settle();
  if (trial.exchanges('refresh').length > 0)
    throw blocked('It refreshes without a 401', 'call.calm');
}
