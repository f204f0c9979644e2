/** Hooks: docs/decisions/0036-hooks.md. */
import { type Control, controlsOf } from '../control.ts';

const store = 'packages/installation-store/src';
const contract = [`${store}/store-contract.test.ts`];

const lifecycle = 'packages/lifecycle/src';
const tokens = 'packages/token-client/src';
const server = 'packages/server/src/hooks';
const delivery = [`${server}/deliver-hooks.test.ts`];
const failing = [`${server}/failing-hooks.test.ts`];
const endless = [`${server}/hooks-without-end.test.ts`];
const admission = [`${lifecycle}/before-install.test.ts`];

export const controls: Control[] = [
  ...controlsOf(`${store}/stores/hook-claims.ts`, contract, [
    ['lease', '{leaseMs}`', '{0}`'],
    ['attempts', 'row.attempts += 1;'],
    ['no handler', 'if (at - (since ?? at) >= unhandledMs)', 'if (false)'],
    ['S13', ' && current.generation > generation'],
    ['S13', ' && !current.awaitsAdmission'],
    ['S13', "current.status !== 'uninstalled' && "],
    ['S13', "\n    .where('removed', '=', 0)"],
    ['S13', ', lifeId: lifeIdOf({ id, generation })'],
  ]),
  ...controlsOf(`${store}/stores/hook-settling.ts`, contract, [
    ['fence', ".where('lease_owner', 'is not', null)"],
    ['fence', 'if ((await lockLease(context, claimed)).rows.length === 0) return false;'],
    [
      'replay',
      'and waiting.sequence >= hook_streams.head_sequence',
      'and waiting.sequence > hook_streams.head_sequence',
    ],
  ]),
  ...controlsOf(`${store}/open-store.ts`, contract, [
    ['clock set back', 'await recallHooks(engine).execute();'],
  ]),
  ...controlsOf(`${store}/stores/parked-hooks.ts`, contract, [
    [
      'replay',
      "row.event !== 'uninstalled' && (await hasEnded(context, installationId, row.generation))",
      'false',
    ],
  ]),
  ...controlsOf(
    `${store}/retention/maintenance-tombstones.ts`,
    [`${store}/retention/maintenance-hooks.test.ts`],
    [
      [
        'retention',
        ".where('state', 'in', ['waiting', 'parked']),",
        ".where('state', '=', 'superseded'),",
      ],
    ],
  ),
  ...controlsOf(`${store}/stores/usability.ts`, contract, [
    ['broken', ".where('installations.broken_since', 'is', null)"],
    ['broken', ".where('installations.usable_generation', '=', generation)"],
  ]),
  ...controlsOf(
    `${lifecycle}/tell-changes.ts`,
    [`${lifecycle}/tell-changes.test.ts`],
    [
      ['usable', "if (!isUsable(before) || after.status !== 'uninstalled') return;"],
      ['usable', 'if (isUsable(told)) await'],
      ['once', 'if (!usable) return false;'],
    ],
  ),
  ...controlsOf(
    `${lifecycle}/apply-event.ts`,
    [`${lifecycle}/tell-changes.test.ts`],
    [['order', 'if (!(await write(installation.id, instanceId, iat))) return;']],
  ),
  ...controlsOf(`${lifecycle}/admit-life.ts`, admission, [
    ['admission', 'if (admissions.size >= maxAdmissions)', 'if (false)'],
    ['admission', '  giveUpOverdue(context);\n'],
    ['admission', 'if (refusal !== undefined) return refuseInstall(refusal.message);'],
  ]),
  ...controlsOf(`${lifecycle}/apply-event.ts`, admission, [
    ['admission', 'if (awaitsAdmission) await stores.usability.admit(id, generation);'],
  ]),
  ...controlsOf(`${lifecycle}/event-claim.ts`, admission, [
    ['admission', 'if (isLetIn) return undefined;'],
    ['admission', 'if (isRefused) await stores.installations.uninstall(installation, event.iat);'],
  ]),
  ...controlsOf(`${lifecycle}/exchange-event.ts`, admission, [
    [
      'admission',
      'if (answer.status === 201 && awaitsAdmission) await stores.usability.admit(id, generation);',
    ],
  ]),
  ...controlsOf(
    `${tokens}/probe-failing.ts`,
    [`${tokens}/probe-failing.test.ts`],
    [['broken', '!(await hasFailed(context, failing))', 'false']],
  ),
  ...controlsOf(
    `${tokens}/record-recovery.ts`,
    [`${tokens}/probe-failing.test.ts`],
    [['recovered', 'if (change) await applied?.(stores, change);']],
  ),
  ...controlsOf(`${server}/deliver-hooks.ts`, delivery, [
    ['one at a time', 'const except = [...running.keys()];', 'const except: string[] = [];'],
    ['places', 'limit: policy.concurrency - active.size,', 'limit: 1_000,'],
  ]),
  ...controlsOf(`${server}/run-hook.ts`, failing, [
    ['attempts', 'if (attempt > maxAttempts(policy))', 'if (false)'],
    [
      'superseded',
      'const isTooLate = isEndOf(error, { id, generation });',
      'const isTooLate = error instanceof PlatformError;',
    ],
  ]),
  ...controlsOf(`${server}/run-hook.ts`, delivery, [
    [
      'platform',
      "const isOver = event === 'uninstalled' || event === 'broken';",
      'const isOver = false;',
    ],
  ]),
  ...controlsOf(`${server}/run-hook.ts`, endless, [
    ['drain', "if (closing.signal.aborted && outcome.state !== 'delivered') return false;"],
  ]),
  ...controlsOf(
    `${server}/outbox.ts`,
    [`${server}/server-hooks.test.ts`],
    [['outbox', 'if (hookOf(hooks, change.plugin, change.event)) await', 'await']],
  ),
];
