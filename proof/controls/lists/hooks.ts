/** Hooks: docs/decisions/0036-hooks.md. */
import { type Control, controlsOf } from '../control.ts';

const store = 'packages/installation-store/src';
const contract = [`${store}/store-contract.test.ts`];

export const controls: Control[] = [
  ...controlsOf(`${store}/stores/hook-claims.ts`, contract, [
    ['fence', ".where('lease_owner', 'is not', null)"],
    ['fence', 'if (!(await lockLease(context, claimed))) return false;'],
    ['lease', '{leaseMs}`', '{0}`'],
    ['attempts', 'row.attempts += 1;'],
    ['no handler', 'if (at - (since ?? at) >= unhandledMs)', 'if (false)'],
  ]),
  ...controlsOf(`${store}/stores/parked-hooks.ts`, contract, [
    ['replay', "row.event !== 'uninstalled' && (await hasEnded(context, row))", 'false'],
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
];
