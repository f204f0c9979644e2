/** What the plain back end does with an event. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Claims, Grant, Patient } from './patient.ts';
import { renew, requestTokens } from './plain-tokens.ts';
import { Refused } from './refused.ts';

const tooSlowMs = 9_000;
const showLateMs = 400;
const maxTimerMs = 2 ** 31 - 1;

/** Names the installation that a JWT is about. */
export function keyOfInstallation({ is }: Patient, { iss, tenantId, pluginId }: Claims): string {
  if (is('tenants.apart')) return String(pluginId);
  return [iss, tenantId, pluginId].join(' ');
}

/** @throws Refused */
export async function acceptEvent(patient: Patient, event: string, claims: Claims): Promise<void> {
  const { is } = patient;
  requireKind(patient, event, String(claims.sub));
  const key = keyOfInstallation(patient, claims);
  const accept = () => acceptInTurn(patient, event, claims);
  if (event === 'access_token' && is('repeat.atOnce')) return accept();
  if (event === 'uninstall' && is('uninstall.racingExchange')) return accept();
  return inTurn(patient, key, accept);
}

function requireKind({ is }: Patient, event: string, sub: string): void {
  if (sub === event) return;
  if (sub === 'install' && is('refuse.kindOfEvent')) return;
  if (sub === 'init' && is('refuse.pageTokenAsUninstall')) return;
  throw new Refused(401, 'It is another event');
}

/** Events of one installation come one after the other. */
function inTurn<Result>({ queues }: Patient, key: string, work: () => Promise<Result>) {
  const before = queues.get(key) ?? Promise.resolve();
  const next = before.then(work, work);
  queues.set(
    key,
    next.catch(() => {}),
  );
  return next;
}

async function acceptInTurn(patient: Patient, event: string, claims: Claims): Promise<void> {
  const { is, grants, ended } = patient;
  const key = keyOfInstallation(patient, claims);
  const iat = Number(claims.iat);
  const pauseSeconds = is('slow uninstall') ? 60 : 0;
  switch (event) {
    case 'install':
      if (iat >= Number(ended.get(key)) + pauseSeconds) ended.set(key, 0);
      return;
    case 'access_token':
      if (iat <= (ended.get(key) ?? 0) + pauseSeconds && !is('event.lateCopy')) {
        throw new Refused(410, 'It was uninstalled');
      }
      return acceptAccess(patient, key, claims);
    case 'uninstall':
      if (!grants.has(key) && is('repeat.uninstall')) throw new Error('There is no such record');
      ended.set(key, !grants.has(key) && is('install.again') ? Number.POSITIVE_INFINITY : iat);
      if (!is('uninstall.silence') && grants.delete(key) && is('failing uninstall')) {
        throw new Error('The record is locked');
      }
      return;
    case 'instance_add':
      if (is('reception.instances')) throw new Refused(404, 'Not found');
      if (!grants.has(key) && is('update.addsAccess')) ended.set(key, Number.POSITIVE_INFINITY);
      return;
    case 'instance_remove':
      if (is('watch.time')) await sleep(tooSlowMs);
      return;
  }
}

async function acceptAccess(patient: Patient, key: string, claims: Claims): Promise<void> {
  const { is, grants, arrivals, ended } = patient;
  if (claims.jti === undefined && is('reception.noJti')) throw new Refused(400, 'There is no jti');
  const known = grants.get(key);
  if (known && is('unasked.exchanged')) return;
  if (ended.has(key) && is('uninstall.again')) return;
  const grant = readGrant(patient, claims);
  const isRepeated = is('repeat.inTurn') ? known?.jti === grant.jti : known?.code === grant.code;
  if (isRepeated && is('repeat.keepsTokens')) grants.set(key, grant);
  if (isRepeated && is('limited repetitions')) throw new Refused(429, 'Too many requests');
  if (isRepeated) return;
  const exchanged = requestTokens(patient, grant, {
    grant_type: 'authorization_code',
    code: grant.code,
  });
  if (is('answer.afterExchange')) exchanged.catch(() => {});
  else await exchanged;
  if (known && grant.refreshToken && is('unasked.used')) grant.accessToken = known.accessToken;
  if (is('refresh.longLife')) refreshLater(patient, key, grant);
  if (!known && is('call.bearer')) showLater(grant);
  grants.set(key, grant);
  for (const wake of arrivals.get(key) ?? []) wake();
  arrivals.delete(key);
}

function showLater(grant: Grant): void {
  const { accessToken } = grant;
  grant.accessToken = '';
  setTimeout(() => {
    grant.accessToken = accessToken;
  }, showLateMs);
}

/** Node ends a timer at once if it is longer than 24.8 days. */
function refreshLater(patient: Patient, key: string, { accessToken, expiresInMs }: Grant): void {
  const renewNow = () => void renew(patient, key, accessToken).catch(() => {});
  setTimeout(renewNow, expiresInMs > maxTimerMs ? 1 : expiresInMs).unref();
}

const clientMembers = [
  'client_id',
  'client_secret',
  'authorization_code',
  'token_endpoint_url',
  'trigger_event',
];

function readGrant({ is }: Patient, claims: Claims): Grant {
  const client = claims.client as Record<string, never>;
  const isStrict = is('reception.unknownClaims');
  if (isStrict && Object.keys(client).some((name) => !clientMembers.includes(name))) {
    throw new Refused(400, 'client has an unknown member');
  }
  const trigger = (client.trigger_event ?? {}) as Record<string, string>;
  const base = String(claims.base_url);
  const baseUrl = is('reception.joinedUrls') ? base : base.replace(/\/+$/, '');
  const join = (path: string) =>
    /^https?:/.test(path) ? path : `${baseUrl}/${path.replace(/^\/+/, '')}`;
  return {
    tenantId: String(claims.tenantId),
    baseUrl,
    code: String(client.authorization_code),
    jti: claims.jti,
    tokenUrl: join(client.token_endpoint_url ?? ''),
    triggerUrl: join(trigger.url ?? trigger.uri ?? ''),
    triggerBody: trigger.body ?? '',
    basic: basicOf({ is }, client),
    clientSecret: String(client.client_secret),
    accessToken: '',
    refreshToken: undefined,
    expiresInMs: 0,
  };
}

function basicOf({ is }: Pick<Patient, 'is'>, client: Record<string, string>): string {
  const { client_id: id = '', client_secret: secret = '' } = client;
  const text = `${id}:${is('exchange.basic') ? encodeURIComponent(secret) : secret}`;
  return Buffer.from(text, is('latin1') ? 'latin1' : 'utf8').toString('base64');
}
