/** The controls of what operators do (threat group F). */
import { type Control, controlsOf } from '../control.ts';

const server = 'packages/server/src';
const actions = [`${server}/dashboard/actions.test.ts`];
const settings = [`${server}/dashboard/settings-routes.test.ts`];
const paused = ['packages/token-client/src/paused.test.ts'];
const contract = ['packages/installation-store/src/store-contract.test.ts'];
const store = 'packages/installation-store/src';

export const controls: Control[] = [
  ...controlsOf(`${server}/actions/perform-action.ts`, actions, [
    ['F21', 'requireRole(actor, action);'],
  ]),
  ...controlsOf(
    'packages/installation-store/src/record-deed.ts',
    [`${server}/dashboard/account-routes.test.ts`],
    [['F21', 'await audit.end(id, failureOf(error)).catch(() => undefined);']],
  ),
  ...controlsOf(`${server}/actions/record-actions.ts`, actions, [
    ['F22', 'if (!names.includes(request.name))', 'if (names.length === 0)'],
  ]),
  ...controlsOf(
    `${server}/actions/runs.ts`,
    [`${server}/dashboard/runs.test.ts`],
    [['F23', "run.state === 'running' && ", '']],
  ),
  ...controlsOf(`${server}/effective-settings.ts`, settings, [
    [
      'F25',
      'if (value === undefined || value instanceof Secret) return [];',
      'if (value === undefined) return [];\n  if (value instanceof Secret) return [value.reveal()];',
    ],
    ['F25', 'text.length < minRandomLength || ', ''],
    ['F25', ' || new Set(text).size < minDifferent', ''],
  ]),
  ...controlsOf(`${server}/setting-rows.ts`, settings, [
    ['F25', "url.password = '';"],
    ['F25', 'url.search = String(new URLSearchParams(plain));'],
  ]),
  ...controlsOf(`${server}/dashboard/settings-routes.ts`, settings, [
    ['F12', "requireRole(ctx, 'operator');"],
  ]),
  ...controlsOf('packages/token-client/src/usable-grant.ts', paused, [
    ['F20', 'if (grant.isPaused) throw installationPaused();'],
  ]),
  ...controlsOf(`${store}/stores/refresh-lease.ts`, contract, [
    ['F20', ".where(isNotPaused('grants.installation_id'))"],
  ]),
  ...controlsOf(`${store}/stores/triggers.ts`, contract, [
    ['F20', "if (row.pausedAt !== null) return { outcome: 'paused' };"],
  ]),
  ...controlsOf(`${store}/stores/healing.ts`, contract, [
    ['F20', ".where('paused_at', 'is', null)"],
  ]),
];
