/** The BFF's admin API in memory, as a `fetch`. */
import {
  type AccountList,
  type ActionEffect,
  type ActionFailure,
  type ActionRefusal,
  type AdminSession,
  type Alerts,
  type AuditEntry,
  type CallEntry,
  type DashboardLanguage,
  type DeliveryDetail,
  type FleetDetail,
  type FleetInstallation,
  type FleetSeries,
  fleetCsvHeader,
  fleetCsvLine,
  type Keys,
  type OperatorRole,
  type ParkedHookEntry,
  type PasswordLinkState,
  type Refusals,
  type Run,
  type RunRequest,
  type SessionList,
  type Settings,
  type ShapeEntry,
  type TimelineEntry,
} from '@dowel/admin-api';
import { alertsFixture } from './alerts-fixture.ts';
import { groupCalls, listCalls } from './fake-calls.ts';
import { countFleet, listInstallations } from './fake-list.ts';
import {
  refusalsFixture,
  runFixture,
  seriesFixture,
  serverNow,
  sessionFixture,
} from './fixtures.ts';
import { keysFixture } from './keys-fixture.ts';
import { settingsFixture } from './settings-fixture.ts';

export interface FakeBff {
  installations: FleetInstallation[];
  details: FleetDetail[];
  /** The timeline of every installation, newest first. */
  timeline: TimelineEntry[];
  /** Undefined: its request fails. */
  series: FleetSeries | undefined;
  audit: AuditEntry[];
  accounts: AccountList['accounts'];
  sessions: SessionList['sessions'];
  /** The language that the operator chose. */
  language: DashboardLanguage | null;
  hooks: ParkedHookEntry[];
  alerts: Alerts;
  calls: CallEntry[];
  refusals: Refusals;
  /** The newest first. */
  deliveries: DeliveryDetail[];
  runs: Run[];
  keys: Keys;
  settings: Settings;
  shapes: ShapeEntry[];
  isSignedIn: boolean;
  role: OperatorRole;
  method: AdminSession['method'];
  /** Why all actions fail; undefined: they succeed. */
  undone:
    | Pick<ActionRefusal, 'code' | 'refusal'>
    | Pick<ActionFailure, 'code' | 'failure' | 'reason'>
    | undefined;
  /** Valid once. */
  code: string | undefined;
  /** The password of every name. */
  password: string | undefined;
  /** What every password link is good for. */
  link: PasswordLinkState;
  /** Operators may sign in at an identity provider. */
  hasProvider: boolean;
  /** The page that continues a sign-out; null: none. */
  continueAt: string | null;
  /** While true, every request for data fails. */
  isBroken: boolean;
  /** Paths of the API whose requests fail, such as `/alerts`. */
  failing: string[];
  /** The most rows of a page, even if the request asks for more. */
  maxPageSize: number;
  requests: Request[];
  fetch: typeof globalThis.fetch;
}

export function createFakeBff(state: Partial<FakeBff> = {}): FakeBff {
  const bff: FakeBff = {
    installations: [],
    details: [],
    timeline: [],
    series: seriesFixture(),
    audit: [],
    accounts: [],
    sessions: [],
    language: null,
    hooks: [],
    alerts: alertsFixture(),
    calls: [],
    refusals: refusalsFixture(),
    deliveries: [],
    runs: [],
    keys: keysFixture(),
    settings: settingsFixture(),
    shapes: [],
    isSignedIn: true,
    role: 'owner',
    method: 'code',
    undone: undefined,
    code: undefined,
    password: undefined,
    link: { state: 'unknown' },
    hasProvider: false,
    continueAt: null,
    isBroken: false,
    failing: [],
    maxPageSize: 100,
    requests: [],
    async fetch(input, init) {
      const request = new Request(new URL(String(input), 'http://localhost'), init);
      bff.requests.push(request.clone());
      return answer(bff, request);
    },
    ...state,
  };
  return bff;
}

async function answer(bff: FakeBff, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const path = pathname.replace('/admin/api', '');
  if (request.method !== 'GET' && request.headers.get('X-Dowel-CSRF') !== '1') {
    return failure(403, 'CSRF');
  }
  if (path === '/session' && request.method === 'POST') return signIn(bff, await request.json());
  if (path === '/session/password') {
    const { password } = (await request.json()) as { password: string };
    return password === bff.password ? openSession(bff) : failure(401, 'SIGN_IN_FAILED');
  }
  if (path === '/password-links/check') return Response.json(bff.link);
  if (path === '/password-links/redeem') {
    return bff.link.state === 'open' ? openSession(bff) : failure(401, 'SIGN_IN_FAILED');
  }
  if (path === '/session/methods') {
    return Response.json({ methods: ['code', 'password', ...(bff.hasProvider ? ['oidc'] : [])] });
  }
  if (!bff.isSignedIn) return failure(401, 'SIGN_IN_REQUIRED');
  if (bff.failing.includes(path)) return failure(400, 'BROKEN');
  if (path === '/session' && request.method === 'DELETE') {
    bff.isSignedIn = false;
    return Response.json({ continueAt: bff.continueAt });
  }
  if (path === '/session/language') {
    bff.language = ((await request.json()) as { language: DashboardLanguage }).language;
    return new Response(null, { status: 204 });
  }
  if (path === '/session') {
    const { role, method, language } = bff;
    return Response.json({ ...sessionFixture, role, method, language });
  }
  const [, id, action] = /^\/installations\/(.+)\/actions\/(.+)$/.exec(path) ?? [];
  if (id !== undefined && action !== undefined) return answerAction(bff, id, action);
  if (path === '/account/password') {
    const { password } = (await request.json()) as { password: string };
    return password === bff.password
      ? new Response(null, { status: 204 })
      : failure(403, 'PASSWORD_WRONG');
  }
  if (path.startsWith('/accounts')) return answerAccounts(bff, request, path);
  if (path === '/users/erase') return Response.json({ rows: 2 });
  if (path.startsWith('/runs')) return answerRuns(bff, request, path);
  if (path.startsWith('/sessions')) return answerSessions(bff, path);
  if (path === '/hooks') {
    return Response.json({ now: serverNow, deliveries: bff.hooks, next: null });
  }
  if (path.startsWith('/alerts')) return answerAlerts(bff, path);
  if (path === '/audit') return answerAudit(bff, searchParams);
  return bff.isBroken ? failure(400, 'BROKEN') : answerReading(bff, path, searchParams);
}

function answerReading(bff: FakeBff, path: string, query: URLSearchParams): Response {
  if (path === '/refusals') return Response.json(bff.refusals);
  if (path.startsWith('/deliveries')) return answerDeliveries(bff, path, query);
  if (path === '/calls') return Response.json(listCalls(bff.calls, query, serverNow));
  if (path === '/calls/groups') return Response.json(groupCalls(bff.calls, query, serverNow));
  if (path === '/shapes') return Response.json({ shapes: bff.shapes });
  if (path === '/settings') return Response.json(bff.settings);
  if (path === '/keys') return Response.json(bff.keys);
  return answerFleet(bff, path.replace('/fleet', ''), query);
}

const effects: Record<string, ActionEffect> = {
  ask: 'asked',
  refresh: 'refreshed',
  test: 'tested',
  pause: 'paused',
  resume: 'resumed',
  end: 'ended',
  'end-sessions': 'sessions_ended',
  'replay-hook': 'hook_queued',
  'drop-hook': 'hook_dropped',
  keep: 'kept',
  purge: 'purged',
  name: 'described',
  acknowledge: 'marked',
};

function answerAction(bff: FakeBff, installationId: string, action: string): Response {
  const message = "The server's own words.";
  if (bff.undone) {
    const words = { message, what: message, why: message, instead: message, auditId: 1 };
    const status = bff.undone.code === 'ACTION_REFUSED' ? 409 : 502;
    return Response.json({ ...bff.undone, ...words }, { status });
  }
  if (action === 'replay-hook' || action === 'drop-hook') bff.hooks = [];
  const effect = effects[action];
  const call = { method: 'GET', url: 'https://acme.example.com', status: 503, durationMs: 61 };
  return Response.json({
    action,
    installationId,
    outcome: 'done',
    effect,
    message,
    auditId: 1,
    ...(effect === 'sessions_ended' && { sessions: 3 }),
    ...(effect === 'tested' && { call }),
  });
}

function answerFleet(bff: FakeBff, path: string, parameters: URLSearchParams): Response {
  const { installations, maxPageSize } = bff;
  if (path === '') return Response.json(countFleet(installations, serverNow));
  if (path === '/series') {
    return bff.series ? Response.json(bff.series) : failure(400, 'BROKEN');
  }
  if (path === '/installations') {
    return Response.json(
      listInstallations(installations, parameters, { now: serverNow, maxPageSize }),
    );
  }
  if (path === '/export') {
    const lines = [fleetCsvHeader('en'), ...installations.map((row) => fleetCsvLine(row, 'en'))];
    const name = 'dowel-installations-2033-05-18.csv';
    const headers = { 'Content-Disposition': `attachment; filename="${name}"` };
    return new Response(lines.join(''), { headers });
  }
  if (path === '/rows') {
    const ids = parameters.get('ids')?.split(',') ?? [];
    const found = installations.filter(({ id }) => ids.includes(id));
    return Response.json({ now: serverNow, installations: found });
  }
  const [, id, part] = /^\/installations\/([^/]+)(\/timeline)?$/.exec(path) ?? [];
  const detail = bff.details.find(({ installation }) => id === installation.id);
  if (!detail) return failure(404, 'NOT_FOUND');
  return part ? Response.json(listTimeline(bff, parameters)) : Response.json(detail);
}

function answerAlerts(bff: FakeBff, path: string): Response {
  if (path === '/alerts') return Response.json(bff.alerts);
  if (!path.endsWith('/test')) return new Response(null, { status: 204 });
  const message = 'The receiver answered 204.';
  const answer = { kind: 'answered', status: 204, code: null };
  return Response.json({ channel: 'webhook', isDelivered: true, message, answer, durationMs: 12 });
}

async function answerAccounts(bff: FakeBff, request: Request, path: string): Promise<Response> {
  if (bff.role !== 'owner') return failure(403, 'ROLE_MISSING');
  const [, name, change] = /^\/accounts\/(.+)\/(role|remove|password-link)$/.exec(path) ?? [];
  if (request.method === 'GET') return Response.json({ accounts: bff.accounts });
  const sent = (await request.json()) as { name?: string; role?: OperatorRole };
  const { role } = sent;
  if (name === undefined || change === 'password-link') {
    const url = 'https://dowel.example/admin/password#code=once';
    if (sent.name && role) {
      const added = { name: sent.name, role, createdAt: serverNow, hasPassword: false };
      bff.accounts = [...bff.accounts, { ...added, linkExpiresAt: serverNow }];
    }
    return Response.json({ url, expiresAt: serverNow }, { status: 201 });
  }
  bff.accounts = bff.accounts
    .filter((account) => change !== 'remove' || account.name !== name)
    .map((account) => (account.name === name && role ? { ...account, role } : account));
  return new Response(null, { status: 204 });
}

/** A run continues until the test ends it. */
async function answerRuns(bff: FakeBff, request: Request, path: string): Promise<Response> {
  if (request.method === 'DELETE') {
    bff.runs = bff.runs.map((run) =>
      path === `/runs/${run.id}` ? { ...run, state: 'stopped', endedAt: serverNow } : run,
    );
    return Response.json(bff.runs[0]);
  }
  if (request.method === 'GET') return Response.json({ runs: bff.runs });
  const { action, reason, ids } = (await request.json()) as RunRequest;
  const run = runFixture({ action, reason, total: ids?.length ?? bff.installations.length });
  bff.runs = [run, ...bff.runs];
  return Response.json(run, { status: 201 });
}

function answerSessions(bff: FakeBff, path: string): Response {
  if (path === '/sessions') return Response.json({ sessions: bff.sessions });
  bff.sessions = bff.sessions.filter(({ id }) => path !== `/sessions/${id}/end`);
  return new Response(null, { status: 204 });
}

function listTimeline({ timeline }: FakeBff, parameters: URLSearchParams) {
  const kinds = parameters.get('kinds')?.split(',');
  const entries = timeline.filter(({ kind }) => kinds?.includes(kind) ?? true);
  return { now: serverNow, entries, next: null };
}

function signIn(bff: FakeBff, { code }: { code: string }): Response {
  if (code !== bff.code) return failure(401, 'SIGN_IN_FAILED');
  bff.code = undefined;
  return openSession(bff);
}

function openSession(bff: FakeBff): Response {
  bff.isSignedIn = true;
  return Response.json(sessionFixture, { status: 201 });
}

function failure(status: number, code: string): Response {
  return Response.json({ code, message: `Refused with ${code}` }, { status });
}

function answerDeliveries(bff: FakeBff, path: string, query: URLSearchParams): Response {
  const id = path.split('/')[2];
  if (id !== undefined) {
    const detail = bff.deliveries.find((delivery) => delivery.id === id);
    return detail ? Response.json(detail) : failure(404, 'NOT_FOUND');
  }
  const since = Number(query.get('since') ?? 0);
  const until = Number(query.get('until') ?? Number.POSITIVE_INFINITY);
  const [installationId, event, reason] = ['installationId', 'event', 'reason'].map((name) =>
    query.get(name),
  );
  const outcome = query.get('outcome');
  const outcomeOf = ({ status, isRepeat }: DeliveryDetail) => [
    status < 400 ? 'accepted' : 'refused',
    ...(isRepeat ? ['repeated'] : []),
  ];
  const deliveries = bff.deliveries.filter(
    (each) =>
      (installationId === null || each.installationId === installationId) &&
      (event === null || each.event === event) &&
      (reason === null || each.reason === reason) &&
      (outcome === null || outcomeOf(each).includes(outcome)) &&
      each.at >= since &&
      each.at < until,
  );
  const ordered = query.get('order') === 'oldest' ? deliveries.toReversed() : deliveries;
  return Response.json({ now: serverNow, deliveries: ordered, next: null });
}

function answerAudit(bff: FakeBff, query: URLSearchParams): Response {
  const who = query.get('who');
  const action = query.get('action');
  const installationId = query.get('installationId');
  const result = query.get('result');
  const since = Number(query.get('since') ?? 0);
  const until = Number(query.get('until') ?? Number.POSITIVE_INFINITY);
  const entries = bff.audit.filter(
    (entry) =>
      (who === null || entry.who.startsWith(who)) &&
      (action === null || entry.action === action) &&
      (installationId === null || entry.installationId === installationId) &&
      (result === null || entry.result === result) &&
      entry.at >= since &&
      entry.at < until,
  );
  return Response.json({ entries, next: null });
}
