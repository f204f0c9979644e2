/**
 * Loaded before the back end (`node --import`), whose code is unchanged. It observes the
 * process through Node's and undici's diagnostics channels and around the database drivers, and kills
 * the process at the point that the parent has ordered.
 */
import { subscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { StatementSync } from 'node:sqlite';
import type { PointOrder } from './kill-process.ts';

let order: PointOrder | undefined;
/** The number of reached points of the order. */
let passed = 0;

process.on('message', (message: { order?: PointOrder }) => {
  if (!message.order) return;
  order = message.order;
  passed = 0;
  process.send?.({ type: 'ordered' });
});
if (process.env.PROOF_KILL_ORDER) order = JSON.parse(process.env.PROOF_KILL_ORDER);

/** One point may have several names: an order asks for any of them. */
function reached(...names: string[]): void {
  if (!order || !names.includes(order.points[passed] ?? '')) return;
  passed += 1;
  if (passed < order.points.length) return;
  process.kill(process.pid, 'SIGKILL');
}

/** Sets the clock ahead, as if the process started later. */
const aheadMs = Number(process.env.PROOF_KILL_AHEAD_MS ?? 0);
const realNow = Date.now;
Date.now = () => realNow() + aheadMs;

// --- Statements

const boundary = /^(begin|start transaction|commit)/i;
const target = /^(insert into|update|delete from) "?(\w+)"?/i;

function namesOf(sql: string): string[] {
  const [, word] = boundary.exec(sql) ?? [];
  if (word) return [word.toLowerCase() === 'commit' ? 'commit' : 'begin'];
  const [, verb, table] = target.exec(sql.trim()) ?? [];
  const written = verb && `${verb.toLowerCase()} ${table}`;
  return ['statement', ...(written ? [written] : [])];
}

function around<Result>(sql: string, run: () => Result): Result {
  const names = namesOf(sql);
  reached(...names.map((name) => `before ${name}`));
  const result = run();
  const after = <Value>(value: Value): Value => {
    reached(...names.map((name) => `after ${name}`));
    return value;
  };
  return result instanceof Promise ? (result.then(after) as Result) : after(result);
}

for (const method of ['run', 'all'] as const) {
  const original = StatementSync.prototype[method] as (...values: unknown[]) => unknown;
  StatementSync.prototype[method] = function (this: StatementSync, ...values: unknown[]) {
    return around(this.sourceSQL, () => original.apply(this, values));
  } as never;
}

interface PostgresClient {
  query(...parameters: unknown[]): unknown;
}
const store = createRequire(import.meta.resolve('@dowel/installation-store'));
const { Client } = store('pg') as { Client: { prototype: PostgresClient } };
const query = Client.prototype.query;
Client.prototype.query = function (this: PostgresClient, ...parameters: unknown[]) {
  const [statement] = parameters;
  if (typeof statement !== 'string') return query.apply(this, parameters);
  return around(statement, () => query.apply(this, parameters));
};

// --- Requests that come

subscribe('http.server.request.start', (message) => {
  const { request } = message as { request: { url: string } };
  reached(`request ${request.url}`);
});

// --- Requests that go, and their answers

function nameOfRequest(message: unknown): string {
  const { path } = (message as { request: { path: string } }).request;
  const grantType = /[?&]grant_type=(\w+)/.exec(path)?.[1];
  if (grantType) return grantType === 'refresh_token' ? 'refresh' : 'code';
  if (path.includes('/access_token/')) return 'trigger';
  return path.endsWith('/notifications') ? 'call' : 'other request';
}
for (const [channel, verb] of [
  ['undici:request:create', 'send'],
  ['undici:request:headers', 'answered'],
  ['undici:request:trailers', 'read'],
] as const) {
  subscribe(channel, (message) => reached(`${verb} ${nameOfRequest(message)}`));
}
