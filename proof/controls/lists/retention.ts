/** Controls that limit the database and the list, and the data that a purge keeps (decision 14). */
import { type Control, controlsOf } from '../control.ts';

const store = 'packages/installation-store/src';
const maintenance = [`${store}/retention/maintenance.test.ts`];
const rules = [`${store}/retention/retention-rules.test.ts`];
const tombstones = [`${store}/retention/maintenance-tombstones.test.ts`];
const list = [`${store}/reports/fleet-page.test.ts`];
const search = [`${store}/reports/fleet-search.test.ts`];

export const controls: Control[] = [
  ...controlsOf(`${store}/retention/maintenance-tombstones.ts`, tombstones, [
    ['C09', ".where('ended_at', '<', endedBefore)", ".where('ended_at', '>', 0)"],
    ['purge', 'if (Number(numAffectedRows) === batchSize) isBare = false;'],
  ]),
  ...controlsOf(`${store}/stores/lives.ts`, tombstones, [
    ['C09', 'ended_at: now(),'],
    ['C08', "if (life.status === 'uninstalled') await deleteSessions(context, life);"],
  ]),
  ...controlsOf(`${store}/stores/find-installation.ts`, tombstones, [
    ['C09', "tenantId)\n    .where('status', '!=', 'uninstalled')", 'tenantId)'],
  ]),
  ...controlsOf(`${store}/retention/maintenance.ts`, maintenance, [
    ['schedule', 'if (!isDue) return undefined;'],
    ['shutdown', 'while (!signal?.aborted)', 'while (true)'],
  ]),
  ...controlsOf(`${store}/retention/turns.ts`, maintenance, [
    ['schedule', "eb('due_at', '>', sql<number>", "eb('due_at', '<', sql<number>"],
  ]),
  ...controlsOf(`${store}/retention/retention-rules.ts`, rules, [
    ['C09', "at: 'received_at', keepMs: 7 * dayMs", "at: 'received_at', keepMs: 6 * dayMs"],
    ['G01', "at: 'expires_at', keepMs: hourMs", "at: 'expires_at', keepMs: 0"],
    ['B08', 'keepMs: 180 * dayMs', 'keepMs: 181 * dayMs'],
  ]),
  ...controlsOf(
    `${store}/stores/key-location-store.ts`,
    [`${store}/store-contract.test.ts`],
    [
      ['B08', '.offset(maxKeyLocations)', '.offset(100_000)'],
      [
        'B08',
        ".column('location').doUpdateSet({ used_at: now() })",
        ".column('location').doNothing()",
      ],
    ],
  ),
  ...controlsOf(`${store}/retention/maintenance.ts`, tombstones, [
    ['C09', 'const tombstoneMs = 30 * dayMs;', 'const tombstoneMs = 29 * dayMs;'],
    ['clock', 'Math.min(...clocks)', 'callersNow'],
    ['clock', 'Math.min(...clocks)', '(clocks[1] ?? 0)'],
  ]),
  ...controlsOf(`${store}/retention/retention-rules.ts`, maintenance, [
    [
      'clock',
      "at: 'received_at', keepMs: 'history', isNumbered: true",
      "at: 'received_at', keepMs: 'history'",
    ],
  ]),
  ...controlsOf(`${store}/stores/history.ts`, maintenance, [
    ['noise', 'const keptEntries = 1_000;', 'const keptEntries = 1_000_000;'],
    ['noise', '(entryId * goldenRatio) % 1 >= 1 / entriesPerCut', 'entryId % 4 !== 0'],
  ]),
  ...controlsOf(`${store}/stores/event-store.ts`, maintenance, [
    ['noise', "await cutHistory(db, 'events', { installationId, entryId });"],
    ['noise', "await cutHistory(db, 'token_operations', { installationId, entryId });"],
  ]),
  ...controlsOf(`${store}/reports/report-cursor.ts`, list, [
    ['cursor', 'if (!isKey(key, kinds)) {', 'if (!key) {'],
    ['cursor', 'Number.isSafeInteger(value)', "typeof value === 'number'"],
    ['cursor', " && !value.includes('\\0')"],
    ['cursor', 'key.length !== kinds.length', 'false'],
  ]),
  ...controlsOf(`${store}/reports/fleet-filter.ts`, search, [
    ['search', "text.replace(/[!%_]/g, '!$&')", 'text'],
  ]),
];
