/** Controls that keep the two databases durable, separate and consistent, each with its test. */
import { type Control, controlsOf } from '../control.ts';

const store = 'packages/installation-store/src';
const contract = [`${store}/store-contract.test.ts`];
const sqlite = [`${store}/sqlite/sqlite-engine.test.ts`];
const postgres = [`${store}/postgres/postgres-engine.test.ts`];
const faults = [`${store}/postgres/postgres-faults.test.ts`];
const queue = [`${store}/postgres/connection-queue.test.ts`];
const errors = [`${store}/postgres/postgres-error.test.ts`];
const changeReader = [`${store}/sqlite/change-reader.test.ts`];
const reports = [`${store}/sqlite/report-reader.test.ts`];
const schema = [`${store}/sql/migrate.test.ts`];

export const controls: Control[] = [
  ...controlsOf(`${store}/stores/find-installation.ts`, contract, [
    ['lock', '\n    .forNoKeyUpdate()'],
  ]),
  ...controlsOf(`${store}/stores/lives.ts`, sqlite, [
    ['E10', 'if (intents + grants > 0n) context.erased();'],
  ]),
  ...controlsOf(`${store}/open-store.ts`, contract, [
    ['changes', 'announcer.announce(changes.list());'],
    ['changes', 'add: changes.add', 'add: (change) => announcer.announce([change])'],
  ]),
  ...controlsOf(`${store}/announcer.ts`, postgres, [
    ['changes', 'if (from !== origin) announce', 'announce'],
  ]),
  ...controlsOf(`${store}/open-store.ts`, contract, [
    ['changes', 'await engine.publish(db, changes.list(), announcer.origin());'],
  ]),
  ...controlsOf(`${store}/open-store.ts`, faults, [
    ['D3', 'if (isWorkDone) announcer.announceUncertain(changes.list());'],
  ]),
  ...controlsOf(`${store}/announcer.ts`, faults, [
    ['D3', 'origin = randomUUID();\n      announce', 'announce'],
  ]),
  ...controlsOf(`${store}/sqlite/change-reader.ts`, changeReader, [
    ['changes', ' || !follow(fresh, last?.id ?? 0)'],
    ['changes', '(last && !isKnown) || ', ''],
    ['changes', '(isKnown ? last : (readNewest.get() as ChangeRow | undefined))', 'last'],
    ['changes', 'if (!listener.isHeard()) return;'],
  ]),
  ...controlsOf(`${store}/postgres/postgres-engine.ts`, postgres, [
    ['D5', 'const maxRetries = 3;', 'const maxRetries = 0;'],
    ['durable', "durability === 'off'", 'false'],
  ]),
  ...controlsOf(`${store}/postgres/postgres-listener.ts`, postgres, [
    ['changes', 'connection = await reconnect(context, signal);', 'return;'],
    ['changes', 'await catchUp(client, listener, progress);'],
  ]),
  ...controlsOf(`${store}/postgres/postgres-pool.ts`, postgres, [
    ['first', 'queue.enter(isUrgent)', 'queue.enter()'],
    ['end', 'await nextTurn();'],
  ]),
  ...controlsOf(`${store}/postgres/connection-queue.ts`, queue, [
    ['first', 'urgent.size > 0 ? urgent : waiting', 'waiting.size > 0 ? waiting : urgent'],
    ['first', 'isUrgent ? waitUrgently() : waitForPlace()', 'waitForPlace()'],
  ]),
  ...controlsOf(`${store}/postgres/postgres-error.ts`, errors, [
    ['busy', "busy.test(cause.code ?? '') ? 'database_busy' :", ''],
    ['D3', '!isSent || !ending.test(cause.code)', 'true'],
    ['D3', 'error, !isSent)', 'error, true)'],
  ]),
  ...controlsOf(
    `${store}/sqlite/barrier.ts`,
    ['proof/kills/power-loss.long.test.ts'],
    [['D9', 'await syncFile(context.log);']],
  ),
  ...controlsOf(`${store}/sqlite/group-commit.ts`, sqlite, [
    ['D8', 'throw notBegun(failure);', 'throw failure;'],
  ]),
  ...controlsOf(`${store}/sqlite/sqlite-error.ts`, sqlite, [
    ['D7', 'isUnwritten: true', 'isUnwritten: false'],
  ]),
  ...controlsOf(`${store}/postgres/postgres-error.ts`, postgres, [
    ['secrets', 'const cause = new PostgresError(error);', 'const cause = error;'],
    ['secrets', 'return unavailable(database, error, !isSent);', 'return error;'],
  ]),
  ...controlsOf(
    'packages/server/src/process/await-database.ts',
    ['packages/server/src/process/await-database.test.ts'],
    [
      ['D1', "error.code !== 'DATABASE_UNAVAILABLE'", 'true'],
      ['D1', 'if (!told.has(error.message)) {', 'if (true) {'],
    ],
  ),
  ...controlsOf(`${store}/postgres/postgres-pool.ts`, contract, [
    ['fractions', 'Math.round(value)', 'value'],
    ['numbers', 'if (type === int8) return Number;'],
  ]),
  ...controlsOf(`${store}/postgres/postgres-pool.ts`, faults, [
    ['D4', 'statement_timeout: statementTimeoutMs,\n    lock_timeout: 5_000,'],
    ['D4', 'query_timeout: answerTimeoutMs,'],
    ['D7', 'context.isRefused ||= isOfDisk(error);'],
    ['failover', "if (rows[0]?.is_read_only) throw new Error('it is a standby, or read-only');"],
  ]),
  ...controlsOf(`${store}/postgres/postgres-listener.ts`, faults, [
    ['changes', 'await proveDelivery(client, name);'],
  ]),
  ...controlsOf(`${store}/postgres/postgres-error.ts`, faults, [
    ['failover', ' || error.code === readOnly'],
  ]),
  ...controlsOf(`${store}/sql/migrate.ts`, schema, [
    ['P7', 'if (newer.length > 0)', 'if (false)'],
    ['P7', 'await engine.exclusive(async (transaction) => {', 'await (async (transaction) => {'],
  ]),
  ...controlsOf(`${store}/sqlite/sqlite-connection.ts`, sqlite, [
    ['durable', "journal !== 'wal'", 'false'],
    ['durable', "'journal_mode = WAL'", "'journal_mode'"],
    ['D6', 'if (!isBusy(error) || !mayWait()) throw', 'throw'],
    ['D6', 'blockedSince ??= now;', 'blockedSince = now;'],
    ['D6', 'PRAGMA busy_timeout = 0', 'PRAGMA busy_timeout = 5000'],
    ['E10', 'PRAGMA secure_delete = ON', 'PRAGMA secure_delete = OFF'],
    ['D7', 'if (!isRead(query) && isOfDisk(error)) connection.isRefused = true;'],
  ]),
  ...controlsOf(`${store}/sqlite/sqlite-engine.ts`, sqlite, [
    ['D7', 'await tryToWrite();'],
    ['D7', 'writer.isRefused = false;'],
    [
      'P7',
      'whenFree(() => writing.transaction().execute(work))',
      'writing.transaction().execute(work)',
    ],
  ]),
  ...controlsOf(`${store}/sqlite/barrier.ts`, sqlite, [
    ['deleted', 'current.database !== opened.database', 'false'],
    ['deleted', 'if (failure) throw failure;'],
  ]),
  ...controlsOf(`${store}/sqlite/node-sqlite-dialect.ts`, sqlite, [
    ['reads', 'isRead(query) ? runInSlices', 'false ? runInSlices'],
    [
      'reads',
      'get supportsMultipleConnections() {\n    return true;',
      'get supportsMultipleConnections() {\n    return false;',
    ],
  ]),
  ...controlsOf(`${store}/sqlite/report-reader.ts`, reports, [
    ['reports', "reject(unavailable(context, 'the thread that reads for reports has ended'));"],
  ]),
  ...controlsOf(`${store}/sqlite/checkpointer.ts`, sqlite, [
    [
      'I08',
      'if (logBytes > maxLogBytes && performance.now() >= context.pausedUntil) return sync(context);',
    ],
    ['E10', 'erase: () => erase(context, eraseDelayMs),', 'erase: () => {},'],
  ]),
  ...controlsOf(
    `${store}/sqlite/checkpointer.ts`,
    [`${store}/sqlite/checkpointer.test.ts`],
    [['D8', 'await context.running;\n  return context', 'return context']],
  ),
  ...controlsOf(`${store}/sqlite/sqlite-files.ts`, sqlite, [
    ['E10', 'if (mustErase) await eraseNow(writer);'],
    ['E10', '.get()?.busy === 0', '.get() !== undefined'],
  ]),
];
