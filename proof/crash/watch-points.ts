/**
 * Loaded before the BFF or the command line (`node --import`), whose code is unchanged. It observes the
 * process through Node's and undici's diagnostics channels and around the database drivers, and kills
 * the process at the point that the parent has ordered.
 */
import { subscribe } from 'node:diagnostics_channel';
import fs from 'node:fs';
import { ServerResponse } from 'node:http';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { StatementSync } from 'node:sqlite';
import type { PointOrder } from './bff-process.ts';

let order: PointOrder | undefined;
/** The number of reached points of the order. */
let passed = 0;

process.on('message', (message: { order?: PointOrder }) => {
  if (!message.order) return;
  order = message.order;
  passed = 0;
  process.send?.({ type: 'ordered' });
});
if (process.env.DOWEL_CRASH_ORDER) order = JSON.parse(process.env.DOWEL_CRASH_ORDER);

/** One point may have several names: an order asks for any of them. */
function reached(...names: string[]): void {
  if (!order || !names.includes(order.points[passed] ?? '')) return;
  passed += 1;
  if (passed < order.points.length) return;
  const { action } = order;
  order = undefined;
  if (action === 'kill') process.kill(process.pid, 'SIGKILL');
  else process.send?.({ type: 'reached' });
}

/** An order that counts `after write inside` means one transaction: after its end the point is never reached. */
function endTransaction(): void {
  if (order?.points[passed] === 'after write inside') order = undefined;
}

function isNext(name: string): boolean {
  return order?.points[passed] === name && order.points.length === passed + 1;
}

/** Sets the clock ahead, as if the process started later. */
const aheadMs = Number(process.env.DOWEL_CRASH_AHEAD_MS ?? 0);
const realNow = Date.now;
Date.now = () => realNow() + aheadMs;

// --- Statements

const boundary = /^(begin|start transaction|commit)/i;
const target = /^(select)\b|^(insert into|update|delete from) "?(\w+)"?/i;

function namesOf(sql: string): string[] {
  const [, word] = boundary.exec(sql) ?? [];
  if (word) return [word.toLowerCase() === 'commit' ? 'commit' : 'begin'];
  const [, read, verb, table] = target.exec(sql.trim()) ?? [];
  const written = verb && `${verb.toLowerCase()} ${table}`;
  return [
    'statement',
    ...(read ? ['select'] : []),
    ...(written ? [written, 'write', 'write inside'] : []),
  ];
}

function around<Result>(sql: string, run: () => Result): Result {
  const names = namesOf(sql);
  reached(...names.map((name) => `before ${name}`));
  const result = run();
  const after = <Value>(value: Value): Value => {
    if (names.includes('commit')) endTransaction();
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

// --- The key file, which is only ever replaced as a whole

const rename = fs.renameSync;
fs.renameSync = (from, to) => {
  reached('before rename');
  rename(from, to);
  reached('after rename');
};
syncBuiltinESMExports();

// --- Requests that come, and their answers

subscribe('http.server.request.start', (message) => {
  const { request } = message as { request: { url: string } };
  reached(`request ${request.url}`);
});

const end = ServerResponse.prototype.end;
ServerResponse.prototype.end = function (this: ServerResponse, ...parameters: unknown[]) {
  const { url } = this.req;
  reached(`answer ${url}`);
  if (!isNext(`half an answer ${url}`)) return end.apply(this, parameters as never);
  const half = `HTTP/1.1 ${this.statusCode} Created\r\nContent-Type: applica`;
  this.socket?.write(half, () => reached(`half an answer ${url}`));
  return this;
} as typeof end;

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
