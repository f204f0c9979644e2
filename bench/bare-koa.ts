/** The peer: bare Koa, one `crypto.verify`, one row in SQLite with the same durability. No other check. */
import { createPublicKey, verify } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import Koa from 'koa';

const { BENCH_PORT = '', BENCH_KEY = '', BENCH_FOLDER = '' } = process.env;
const key = createPublicKey(BENCH_KEY);
const database = new DatabaseSync(join(BENCH_FOLDER, 'bare.sqlite'));
database.exec('PRAGMA journal_mode = WAL');
database.exec('PRAGMA synchronous = FULL');
database.exec('CREATE TABLE events (id INTEGER PRIMARY KEY, claims TEXT NOT NULL)');
const insert = database.prepare('INSERT INTO events (claims) VALUES (?)');

const app = new Koa();
app.use(async (ctx) => {
  const token = new URLSearchParams(await text(ctx.req)).get('token') ?? '';
  const [header = '', payload = '', signature = ''] = token.split('.');
  const bytes = Buffer.from(`${header}.${payload}`);
  if (!verify('RSA-SHA512', bytes, key, Buffer.from(signature, 'base64url'))) ctx.throw(401);
  insert.run(Buffer.from(payload, 'base64url').toString());
  ctx.status = 201;
  ctx.body = {};
});
app.listen(Number(BENCH_PORT), '127.0.0.1', () => process.send?.({ type: 'ready' }));
process.on('disconnect', () => process.exit(0));
