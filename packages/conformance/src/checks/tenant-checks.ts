/** Tenants apart, the end of an installation, and a restart of the back end (Spec §2.2, §3, §5). */

import type { Caller } from '../call/caller.ts';
import { blocked, checksOf, Finding, open, requireNoLimit, wrong } from '../check.ts';
import type { TargetProcess } from '../world/target-process.ts';
import { requireAnswer, type Trial } from '../world/trial.ts';
import { codeOf } from './order-checks.ts';

const needs = ['apiAccess', 'call'] as const;

export const tenantChecks = checksOf(needs, [
  {
    id: 'tenants.apart',
    claim: 'The same plug-in id in two tenants has two sets of tokens.',
    reference: 'Spec §2.2',
    why: 'People of one tenant would act with the rights of another one.',
    seen: 'Installs the same id in two tenants, and calls from both.',
    fix: 'Store tokens by issuer, tenant id and plug-in id.',
    usesSecondTenant: true,
    async run(trial) {
      const second = trial.second();
      const callers = [await trial.ready(), await second.ready()];
      for (const [index, caller] of callers.entries()) {
        const sent = await caller.call();
        if (await trial.until(() => caller.hasArrived(sent), 3)) continue;
        throw wrong(
          `After both installations a call from tenant ${index + 1} did not arrive there`,
        );
      }
    },
  },
  {
    id: 'uninstall.silence',
    claim: 'After `uninstall` the tokens are not used any more.',
    reference: 'Spec §3',
    why: 'The tenant has ended the plug-in’s access, and must be able to rely on that.',
    seen: 'Uninstalls, calls from a page that was open before, and looks for any request.',
    fix: 'Delete the tokens in the handler of `uninstall`.',
    async run(trial) {
      const caller = await trial.ready();
      await trial.uninstalled();
      await requireSilence(trial, caller);
    },
  },
  {
    id: 'uninstall.racingExchange',
    claim: 'Tokens that arrive after an `uninstall` are not used.',
    reference: 'Spec §3',
    why: 'An exchange that was running would bring back the access that the tenant has ended.',
    seen: 'Holds a token answer for a second, uninstalls in that second, then calls from a page that was open before, and looks for any request.',
    fix: 'Handle the events of one installation one after the other, or store tokens only if no `uninstall` has come since the event.',
    run: uninstallMeanwhile,
  },
  {
    id: 'uninstall.again',
    claim: 'After `uninstall` and a new installation of the same id, calls work.',
    reference: 'Spec §3',
    why: 'What stays of the old installation would break the new one.',
    seen: 'Uninstalls, installs the same id, and calls from a new page for up to 3 s.',
    fix: 'Nothing of the old installation may stay.',
    async run(trial) {
      await trial.ready();
      await trial.uninstalled();
      const { failure } = await trial.install();
      if (failure) throw wrong(failure.message);
      await requireWorks(await trial.openCaller());
    },
  },
  {
    id: 'uninstall.forged',
    claim: 'A forged `uninstall` does no harm.',
    reference: 'Spec §5.1',
    why: 'An attacker could end the access of any tenant.',
    seen: 'Sends `uninstall` that another key has signed, then calls for up to 3 s.',
    fix: 'Verify the signature before you do anything.',
    async run(trial) {
      const caller = await trial.ready();
      const { claims, header, send } = await trial.prepare('uninstall');
      const answer = await send({ jwt: await trial.world.forger.sign(claims, header) });
      await requireWorks(caller);
      requireAnswer(answer);
    },
  },
  {
    id: 'restart.keepsTokens',
    claim: 'Killed right after 201 and started again, the back end still has the tokens.',
    reference: 'Spec §5',
    severity: 'should',
    needs: ['apiAccess', 'call', 'start'],
    why: 'Each deployment could lose the access of the tenants that were installed just before.',
    seen: 'Sends SIGKILL right after the 201, starts the back end, and calls for up to 3 s.',
    fix: 'Store durably before you answer 201.',
    alone: true,
    async run(trial) {
      await trial.installed();
      await restart(trial.process());
      await requireWorks(await trial.openCaller());
    },
  },
]);

/** @throws Finding if it does not start again, or cannot be ended */
async function restart(process: TargetProcess): Promise<void> {
  try {
    await process.restart();
  } catch (error) {
    if (error instanceof Finding) throw error;
    throw wrong((error as Error).message);
  }
}

async function uninstallMeanwhile(trial: Trial): Promise<void> {
  const caller = await trial.ready();
  const event = await trial.prepare('access_token');
  trial.fault('token.slow', { on: 'code', ms: 1_000 });
  const answered = event.send();
  if (!(await trial.until(() => trial.timesPresented(codeOf(event)) > 0, 3))) {
    throw blocked('The code of a new event was not presented', 'unasked.exchanged');
  }
  await Promise.all([trial.uninstalled(), answered]);
  await requireSilence(trial, caller);
}

async function requireSilence(trial: Trial, caller: Caller): Promise<void> {
  await trial.settle();
  const before = countRequests(trial);
  const { status } = await caller.call();
  await trial.until(() => countRequests(trial) > before, 1);
  if (countRequests(trial) > before) throw wrong('A request reached the platform');
  if (status === null) throw open('The call had no answer');
  requireNoLimit({ status });
}

async function requireWorks(caller: Caller): Promise<void> {
  if (!(await caller.heals(3))) throw wrong('No call arrived within 3 s');
}

/** From the back end. */
function countRequests(trial: Trial): number {
  const kinds = ['code', 'refresh', 'trigger', 'api'] as const;
  return kinds.reduce((sum, kind) => sum + trial.exchanges(kind).length, 0);
}
