/**
 * Makes a realistic fleet of seeded installations: with broken ones by cause, a day of history, refused
 * requests, parked hooks, and what people did yesterday. On SQLite, while nobody has the database open.
 */
import { DatabaseSync } from 'node:sqlite';
import type { Condition } from '@dowel/admin-api';
import { seededId } from './seed-installations.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** How much older than seeded the installations are. */
const ageMs = 20 * day;

/** The tenant that is broken longest. */
export const longestBroken = { index: 77 };
/** An installation that waits for its scope. */
export const withoutScope = { index: 83 };
const nightDesk = 'night.desk';

interface Trouble {
  /** Which installations: every so many, from the first one on. */
  every: number;
  from: number;
  condition: Condition;
  status: string;
  cause: string | null;
  /** Since when, at the earliest and at the latest, in milliseconds before now. */
  since: [number, number];
  tokenEnds: number;
}

const troubles: readonly Trouble[] = [
  {
    every: 83,
    from: 83,
    condition: 'awaiting',
    status: 'awaiting_event',
    cause: 'scope_missing',
    since: [3 * hour, 12 * minute],
    tokenEnds: -hour,
  },
  {
    every: 131,
    from: 77,
    condition: 'awaiting',
    status: 'awaiting_event',
    cause: 'invalid_grant',
    since: [9 * day, hour],
    tokenEnds: -hour,
  },
  {
    every: 900,
    from: 5,
    condition: 'failing',
    status: 'active',
    cause: 'token_endpoint_unreachable',
    since: [50 * minute, 40 * minute],
    tokenEnds: -20 * minute,
  },
  {
    every: 1_400,
    from: 6,
    condition: 'failing',
    status: 'active',
    cause: 'token_endpoint_answered_503',
    since: [20 * minute, minute],
    tokenEnds: 30 * minute,
  },
  {
    every: 2_500,
    from: 8,
    condition: 'refused',
    status: 'uninstalled',
    cause: 'scope_missing',
    since: [4 * day, hour],
    tokenEnds: 0,
  },
  {
    every: 300,
    from: 9,
    condition: 'uninstalled',
    status: 'uninstalled',
    cause: null,
    since: [0, 0],
    tokenEnds: 0,
  },
];

/** @param now epoch milliseconds; its day has begun hours ago. */
export function makeSampleFleet(path: string, count: number, now: number): void {
  const db = new DatabaseSync(path);
  try {
    db.exec('begin');
    makeOlder(db);
    spreadTokens(db, count, now);
    for (const trouble of troubles) addTrouble(db, trouble, count, now);
    addLastRefreshes(db);
    countAgain(db);
    addHistory(db, now);
    addDeliveries(db, now);
    addParkedHooks(db, now);
    addActions(db, now);
    db.exec('commit');
  } finally {
    db.close();
  }
}

/** A number from 0 to 1, the same each time. */
function fraction(index: number): number {
  return (index * 0.618_033_988_749_894_9) % 1;
}

/** The seeded installations are about a day old, and the oldest trouble is older. */
function makeOlder(db: DatabaseSync): void {
  db.exec(`
    update installations set created_at = created_at - ${ageMs}, scopes_at = scopes_at - ${ageMs},
      last_event_at = last_event_at - ${ageMs};
    update events set received_at = received_at - ${ageMs};
    update token_operations set started_at = started_at - ${ageMs}`);
}

/** Most tokens live; one in fifteen has ended, and nobody has called since. */
function spreadTokens(db: DatabaseSync, count: number, now: number): void {
  const set = db.prepare('update installations set token_expires_at = ? where id = ?');
  for (let index = 0; index < count; index += 1) {
    const aheadMs =
      index % 15 === 0 ? -fraction(index) * 5 * hour : fraction(index) * (hour - minute) + minute;
    set.run(Math.round(now + aheadMs), seededId(index));
  }
}

function addTrouble(db: DatabaseSync, trouble: Trouble, count: number, now: number): void {
  const { every, from, condition, status, cause, since, tokenEnds } = trouble;
  const isOutage = cause !== null;
  const set =
    db.prepare(`update installations set condition = ?, status = ?, cause = ?, unhealthy_since = ?,
    token_expires_at = ?, error_reason = ?, error_at = ?, next_trigger_at = ?, triggers = ?, heal_at = ?,
    ended_at = ?, ended_iat = ? where id = ?`);
  const fail = db.prepare(`insert into outages
    (installation_id, generation, cause, began_at, access_ends_at) values (?, 1, ?, ?, ?)`);
  const setFailing = db.prepare('update grants set failing_since = ? where installation_id = ?');
  for (let index = from; index < count; index += every) {
    const id = seededId(index);
    const [earliest, latest] = since;
    const beganAt = Math.round(now - latest - (1 - fraction(index)) * (earliest - latest));
    const began = index === longestBroken.index ? now - 11 * day : beganAt;
    const accessEndsAt = condition === 'failing' ? Math.max(began, now + tokenEnds) : began;
    const isAwaiting = condition === 'awaiting';
    const nextAt = isAwaiting ? Math.round(now + 90_000 + fraction(index) * 13 * minute) : null;
    const endedAt = status === 'uninstalled' ? now - day : null;
    set.run(
      condition,
      status,
      cause,
      isOutage ? accessEndsAt : null,
      isAwaiting ? accessEndsAt : now + tokenEnds,
      cause,
      isOutage ? now - minute : null,
      nextAt,
      isAwaiting ? triggersIn(now - began) : 0,
      nextAt,
      endedAt,
      endedAt === null ? null : Math.floor(endedAt / 1_000),
      id,
    );
    if (!isOutage || status === 'uninstalled') continue;
    fail.run(id, cause, began, accessEndsAt);
    setFailing.run(began, id);
  }
}

/** One after 30 s, 1, 2, 4 and 8 minutes, then every 15 minutes. */
function triggersIn(ms: number): number {
  const early = [30_000, 90_000, 210_000, 450_000, 930_000].filter((at) => at <= ms).length;
  return early + Math.max(0, Math.floor((ms - 930_000) / (15 * minute)));
}

function countAgain(db: DatabaseSync): void {
  db.exec(`delete from condition_counts;
    insert into condition_counts (condition, cause, n)
      select condition, cause, count(*) from installations group by condition, cause`);
}

/** A day of minutes: a quiet night, and a scope that was withdrawn three hours ago. */
function addHistory(db: DatabaseSync, now: number): void {
  const groups = db
    .prepare(`select condition, count(*) as n from installations group by condition`)
    .all() as { condition: Condition; n: number }[];
  const of = (condition: Condition) => groups.find((each) => each.condition === condition)?.n ?? 0;
  const atRisk = countAtRisk(db, now);
  const brokenNow = of('awaiting') + of('refused') + of('failing') - atRisk;
  const withoutScopeNow = Math.floor(of('awaiting') / 2);
  const insert =
    db.prepare(`insert into fleet_minutes (cause, at, refreshed, refresh_failed, events, refused, shed,
    working, risk, broken, pending, paused, uninstalled) values ('', ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?)`);
  const setCalls = db.prepare(`update fleet_minutes set calls_succeeded = round(?),
    calls_failed = ?, calls_50 = round(?), calls_250 = round(?), calls_1000 = round(?)
    where cause = '' and at = ?`);
  const cause = db.prepare('insert into fleet_minutes (at, cause, broken) values (?, ?, ?)');
  const first = Math.floor((now - day) / minute) * minute;
  for (let at = first; at < now - minute; at += minute) {
    const isWithdrawn = at > now - 3 * hour;
    const share = isWithdrawn ? (at - (now - 3 * hour)) / (3 * hour) : 0;
    const scope = Math.round(share * withoutScopeNow);
    const ripple = Math.round(0.01 * brokenNow * Math.sin(at / (47 * minute)));
    const broken = brokenNow - withoutScopeNow + scope + ripple;
    const byDay = 1 - 0.6 * Math.cos((2 * Math.PI * (at % day)) / day);
    const refreshed = Math.round(byDay * 900);
    const failed = Math.round(refreshed * (isWithdrawn ? 0.012 : 0.003));
    const refused = Math.abs(at - burstAt(now)) < 12 * minute ? 140 : 3;
    const events = Math.round(byDay * 40);
    const working = of('healthy') + withoutScopeNow - scope;
    const uninstalled = of('uninstalled');
    insert.run(at, refreshed, failed, events, refused, 0, working, atRisk, broken, uninstalled);
    const calls = refreshed * 6;
    const callsFailed = Math.round(calls * (isWithdrawn ? 0.02 : 0.004));
    setCalls.run(calls - callsFailed, callsFailed, calls * 0.7, calls * 0.24, calls * 0.06, at);
    cause.run(at, 'scope_missing', scope);
    cause.run(at, 'invalid_grant', broken - scope);
  }
}

/** Refreshes fail, and the token still lives. */
function countAtRisk(db: DatabaseSync, now: number): number {
  const row = db
    .prepare(
      `select count(*) as n from installations where condition = 'failing' and token_expires_at > ?`,
    )
    .get(now);
  return Number(row?.n);
}

/** Three in the morning, or earlier today. */
function burstAt(now: number): number {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  return Math.min(midnight + 3 * hour, now - hour);
}

function addDeliveries(db: DatabaseSync, now: number): void {
  const addCount = db.prepare(`insert into refusal_counts (hour_at, reason, n, first_at, last_at)
    values (?, ?, ?, ?, ?)
    on conflict do update set n = n + excluded.n, last_at = max(last_at, excluded.last_at)`);
  const add =
    db.prepare(`insert into deliveries (id, at, event, plugin, host, is_verified, status, reason,
      is_repeat, duration_ms, sender, request_id, body)
    values (?, ?, 'install', '', ?, 0, 400, ?, 0, 2, ?, 'request', '{"code":401}')`);
  const hourOf = (at: number) => at - (at % hour);
  const burst = burstAt(now);
  addCount.run(hourOf(burst), 'signature_invalid', 3_200, burst, burst + 25 * minute);
  for (let index = 0; index < 10; index += 1) {
    const at = burst + (16 + index) * minute;
    const host = 'intranet-hafenstadt.example.org';
    add.run(`burst-${index}`, at, host, 'signature_invalid', '203.0.113.40');
  }
  for (let index = 0; index < 20; index += 1) {
    const at = Math.floor(now - fraction(index) * day);
    const reason = index % 3 === 0 ? 'issuer_key_mismatch' : 'expired';
    addCount.run(hourOf(at), reason, 1 + (index % 7), at, at);
    if (index % 2 > 0) continue;
    add.run(`one-${index}`, at, `host-${index % 5}.example.net`, reason, `198.51.100.${index}`);
  }
  addAccepted(db, now);
}

/** The last access_token event of installations with tokens. */
function addAccepted(db: DatabaseSync, now: number): void {
  db.exec(`insert into deliveries (id, at, event, plugin, installation_id, host, is_verified, status,
      is_repeat, duration_ms, sender, request_id, body, claims)
    select 'last-' || id, ${now} - n * 7919000 % ${7 * day}, 'access_token', '', id,
      replace(issuer, 'https://', ''), 1, 201, n % 8 = 0, 40 + n * 37 % 300, '', 'request', '{}',
      '[{"name":"sub","value":"access_token"},{"name":"client.client_secret","value":null,"masked":"secret"}]'
    from (select id, issuer, row_number() over (order by id) as n from installations
      where condition = 'healthy' order by id limit 2000)`);
}

/** Each token was issued an hour before its end, by a refresh. */
function addLastRefreshes(db: DatabaseSync): void {
  db.exec(`
    update grants set issued_at = token_expires_at - ${hour} from installations
      where installations.id = grants.installation_id;
    insert into token_operations
      (installation_id, operation, started_at, duration_ms, succeeded, token_version)
      select installation_id, 'refresh', issued_at - 60, 60, 1, token_version from grants`);
}

/** Three tenants whose hooks failed until they were given up. */
function addParkedHooks(db: DatabaseSync, now: number): void {
  const addStream = db.prepare(
    'insert into hook_streams (installation_id, next_sequence) values (?, 2)',
  );
  const addDelivery =
    db.prepare(`insert into hook_deliveries (installation_id, sequence, generation, event,
    data, occurred_at, state, attempts, last_error, settled_at) values (?, 1, 1, ?, '{}', ?, 'parked', 12, ?, ?)`);
  const failures = [
    ['broken', 'The ticket system answered 503'],
    ['installed', 'connect ECONNREFUSED 192.0.2.20:5432'],
    ['instanceRemoved', "Cannot read properties of undefined (reading 'channel')"],
  ] as const;
  for (const [index, [event, error]] of failures.entries()) {
    const id = seededId(200 + index);
    const parkedAt = now - (1 + 7 * index) * hour;
    addStream.run(id);
    addDelivery.run(id, event, parkedAt - 5 * hour, error, parkedAt);
  }
}

function addActions(db: DatabaseSync, now: number): void {
  const insert =
    db.prepare(`insert into audit (at, who, role, way, from_address, action, installation_id, target,
    reason, result, detail, run_id) values (?, ?, 'operator', 'page', '192.0.2.7', ?, ?, ?, ?, ?, ?, null)`);
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const people = [nightDesk, 'ada', 'jonas.weber'];
  for (let index = 0; index < 60; index += 1) {
    const at = midnight - day + Math.round(fraction(index) * 1.9 * day);
    const who = people[index % people.length] ?? '';
    const action = ['ask', 'refresh', 'test', 'pause'][index % 4] ?? '';
    const result = index % 9 === 0 ? 'refused' : 'done';
    insert.run(
      Math.min(at, now - minute),
      who,
      action,
      seededId(83 * (index + 1)),
      `tenant ${index}`,
      'Scope is granted again, says the tenant',
      result,
      null,
    );
  }
}
