/**
 * The peer: bare Koa that verifies in libuv's thread pool, and commits the rows of one turn of the
 * event loop in one transaction, which is on disk before any of them is answered. No other check.
 */
import { createPublicKey, verify } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import Koa from 'koa';

interface Row {
  claims: string;
  resolve: () => void;
}

const { BENCH_PORT = '', BENCH_KEY = '', BENCH_FOLDER = '' } = process.env;
const key = createPublicKey(BENCH_KEY);
const verifyInPool = promisify(verify);
const database = new DatabaseSync(join(BENCH_FOLDER, 'pooled.sqlite'));
database.exec('PRAGMA journal_mode = WAL');
database.exec('PRAGMA synchronous = FULL');
database.exec('CREATE TABLE events (id INTEGER PRIMARY KEY, claims TEXT NOT NULL)');
const insert = database.prepare('INSERT INTO events (claims) VALUES (?)');
let rows: Row[] = [];

/** Resolves when the row is on disk. */
function save(claims: string): Promise<void> {
  return new Promise((resolve) => {
    if (rows.length === 0) setImmediate(commit);
    rows.push({ claims, resolve });
  });
}

function commit(): void {
  const committed = rows;
  rows = [];
  database.exec('BEGIN');
  for (const { claims } of committed) insert.run(claims);
  database.exec('COMMIT');
  for (const { resolve } of committed) resolve();
}

const app = new Koa();
app.use(async (ctx) => {
  const token = new URLSearchParams(await text(ctx.req)).get('token') ?? '';
  const [header = '', payload = '', signature = ''] = token.split('.');
  const bytes = Buffer.from(`${header}.${payload}`);
  const isSigned = await verifyInPool(
    'RSA-SHA512',
    bytes,
    key,
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) ctx.throw(401);
  await save(Buffer.from(payload, 'base64url').toString());
  ctx.status = 201;
  ctx.body = {};
});
app.listen(Number(BENCH_PORT), '127.0.0.1', () => process.send?.({ type: 'ready' }));
process.on('disconnect', () => process.exit(0));
