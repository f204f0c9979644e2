/** Events that are repeated, unasked or in another order than the usual one (Spec §3). */
import { randomUUID } from 'node:crypto';
import type { PreparedEvent } from '@dowel/emulator';
import { blocked, checksOf, wrong } from '../check.ts';
import {
  asksFor,
  isAccepted,
  isJsonType,
  requireAcceptance,
  requireAnswer,
  withoutAccess,
} from '../world/trial.ts';

const needs = ['apiAccess'] as const;
const repeatedCode =
  'Remember the code that was exchanged, and answer its repetition with 201. A code that is presented twice ends its tokens (RFC 6749 §4.1.2).';

export const orderChecks = checksOf(needs, [
  {
    id: 'install.again',
    claim: 'After a failed installation, the same plug-in can be installed.',
    reference: 'Spec §3',
    why: 'An administrator could never repeat an installation that failed once.',
    seen: 'Lets an installation fail, with the `uninstall` that follows, and installs the same id.',
    fix: 'Let `uninstall` work without tokens, and the next `install` too, even with the same `iat`.',
    async run(trial) {
      const off = trial.fault('token.refused', { on: 'code', times: 'always' });
      const { failure } = await trial.install();
      off();
      if (!failure) throw blocked('The first installation did not fail', 'answer.refused');
      const second = await trial.install();
      if (second.failure) throw wrong(second.failure.message);
    },
  },
  {
    id: 'update.addsAccess',
    claim:
      'An update that adds `apiAccess` works: `access_token` without an install event right before.',
    reference: 'Spec §3',
    why: 'The plug-in never gets tokens in tenants that installed its version without API access.',
    seen: 'Installs without `apiAccess`, places a widget, and updates to the manifest that has it.',
    fix: 'Do not require that `install` came just before.',
    async run(trial) {
      await trial.installed(withoutAccess);
      if (asksFor(trial.manifest, 'instance_add')) {
        await (await trial.prepare('instance_add', randomUUID())).send();
      }
      const failure = await trial.update();
      if (failure) throw wrong(failure.message);
      const isExchanged = () => trial.exchanges('code').length > 0;
      if (!(await trial.until(isExchanged, 3))) throw wrong('The code was not exchanged');
    },
  },
  {
    id: 'repeat.inTurn',
    claim: 'An `access_token` event that comes twice presents its code once.',
    reference: 'Spec §4.1',
    severity: 'should',
    why: 'The platform sends an event again when it did not see the answer.',
    seen: 'Sends the same event twice, and once more signed again, and counts how often its code is presented.',
    fix: repeatedCode,
    async run(trial) {
      await trial.installed();
      const event = await trial.prepare('access_token');
      const jwt = await event.sign();
      requireAcceptance(await event.send({ jwt }));
      const repeated = [
        await event.send({ jwt }),
        await event.send({ claims: { jti: randomUUID() } }),
      ];
      await trial.settle();
      requireOnePresentation(trial.timesPresented(codeOf(event)));
      for (const answer of repeated) requireAnswer(answer);
    },
  },
  {
    id: 'repeat.atOnce',
    claim: 'An `access_token` event that comes 5 times at once presents its code once.',
    reference: 'Spec §4.1',
    severity: 'should',
    why: 'Copies can overtake each other, and then the second exchange ends the tokens of the first.',
    seen: 'Sends the same event 5 times at once, and counts how often its code is presented.',
    fix: 'Handle the events of one installation one after the other.',
    async run(trial) {
      await trial.installed();
      const event = await trial.prepare('access_token');
      const jwt = await event.sign();
      const answers = await Promise.all(Array.from({ length: 5 }, () => event.send({ jwt })));
      await trial.settle();
      const [first] = answers;
      if (first && !answers.some(isAccepted)) requireAcceptance(first);
      requireOnePresentation(trial.timesPresented(codeOf(event)));
      for (const answer of answers) requireAnswer(answer);
    },
  },
  {
    id: 'repeat.uninstall',
    claim: '`uninstall` that comes twice is answered without an error.',
    reference: 'Spec §3',
    severity: 'should',
    needs: [],
    why: 'The platform sends it again until it has an answer.',
    seen: 'Sends `uninstall` twice.',
    fix: 'An uninstall of something unknown has nothing to do: answer 201.',
    async run(trial) {
      await trial.installed();
      const event = await trial.prepare('uninstall');
      const first = await trial.uninstall();
      if (first) requireAcceptance(first);
      const { status, error, answer } = await event.send();
      requireAnswer({ status, error });
      if (status !== null && status >= 500)
        throw wrong(`The second one was answered with status ${status}`);
      const type = answer?.headers['content-type'] ?? '';
      if (!isJsonType(type)) throw wrong(`The second answer is ${type || 'untyped'}`);
    },
  },
  {
    id: 'unasked.exchanged',
    claim: 'An `access_token` event without a trigger is exchanged and answered with success.',
    reference: 'Spec §3, §5',
    why: 'The platform may send new access at any time, and the old one may end then.',
    seen: 'Sends `access_token` without a trigger, and counts how often its code is presented.',
    fix: 'Treat every `access_token` event alike.',
    async run(trial) {
      await trial.installed();
      const event = await trial.prepare('access_token');
      requireAcceptance(await event.send());
      await trial.until(() => trial.timesPresented(codeOf(event)) > 0, 3);
      if (trial.timesPresented(codeOf(event)) === 0) throw wrong('Its code was not exchanged');
    },
  },
  {
    id: 'event.lateCopy',
    claim: 'An `access_token` event that arrives after `uninstall` is not exchanged.',
    reference: 'Spec §3',
    severity: 'should',
    why: 'Events can overtake each other. The plug-in would keep access to a tenant that has removed it.',
    seen: 'Signs `access_token`, uninstalls, and then sends it. Looks whether its code is presented.',
    fix: 'Remember when an installation has ended, and ignore its events until the next `install`.',
    async run(trial) {
      await trial.installed();
      const event = await trial.prepare('access_token');
      await trial.uninstalled();
      const answer = await event.send();
      await trial.settle();
      if (trial.timesPresented(codeOf(event)) > 0) throw wrong('Its code was presented');
      requireAnswer(answer);
    },
  },
]);

/** Of an access_token event. */
export function codeOf({ claims }: PreparedEvent): string {
  return (claims.client as { authorization_code: string }).authorization_code;
}

function requireOnePresentation(times: number): void {
  if (times > 1) throw wrong(`Its code was presented ${times} times`);
  if (times === 0) throw blocked('Its code was not presented', 'unasked.exchanged');
}
