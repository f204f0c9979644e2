/** How the plain back end gets tokens, and new ones. */
import { type Grant, type Patient, requestLimitMs } from './patient.ts';
import { Refused } from './refused.ts';

const triggerWaitMs = 8_000;

type Tokens = Record<string, string | undefined>;

/** Puts the tokens of the answer into the grant. @throws Refused */
export async function requestTokens(
  { is }: Patient,
  grant: Grant,
  parameters: Record<string, string>,
): Promise<void> {
  const url = new URL(grant.tokenUrl);
  if (is('exchange.secretPlace')) url.searchParams.set('client_secret', grant.clientSecret);
  if (parameters.refresh_token && is('refresh.basic')) {
    url.searchParams.set('client_secret', grant.clientSecret);
  }
  const form = new URLSearchParams(parameters);
  if (!is('exchange.query')) for (const [name, value] of form) url.searchParams.set(name, value);
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Basic ${grant.basic}`, accept: 'application/json' },
    ...(is('exchange.query') && { body: form }),
    ...(!is('exchange.hangs') && { signal: AbortSignal.timeout(requestLimitMs) }),
  }).catch(() => undefined);
  if (!response && is('answer.lost')) return;
  if (!response) throw new Refused(504, 'No answer');
  if (response.status === 400 && is('answer.refused')) return;
  if (response.status === 503 && is('answer.unavailable')) return;
  if (!response.ok) throw new Refused(response.status === 400 ? 400 : 503, 'No tokens');
  const tokens = (await response.json().catch(() => null)) as Tokens | null;
  if (!tokens && is('answer.notJson')) return;
  requireTokens({ is }, grant, tokens ?? {});
  grant.accessToken = tokens?.access_token ?? '';
  grant.expiresInMs = Number(tokens?.expires_in) * 1000;
  const { refreshToken: before } = grant;
  if (is('refresh.rotation') && before !== undefined) return;
  grant.refreshToken = tokens?.refresh_token ?? (is('refresh.omitted') ? undefined : before);
}

const tokenMembers = [
  'access_token',
  'token_type',
  'refresh_token',
  'expires_in',
  'scope',
  'tenant',
  'jti',
];

function requireTokens({ is }: Pick<Patient, 'is'>, { tenantId }: Grant, tokens: Tokens): void {
  const { access_token, token_type: type, refresh_token, tenant } = tokens;
  if (!access_token && !is('answer.noAccessToken')) throw new Refused(502, 'No access token');
  const isBearer = is('answer.bearerCase') ? type === 'bearer' : /^bearer$/i.test(type ?? '');
  if (!isBearer) throw new Refused(502, 'It is no bearer token');
  if (!refresh_token && is('answer.noRefreshToken')) throw new Refused(502, 'No refresh token');
  if (tenant !== tenantId && !is('answer.wrongTenant')) throw new Refused(502, 'Another tenant');
  const isStrict = is('answer.unknownMembers');
  if (isStrict && Object.keys(tokens).some((name) => !tokenMembers.includes(name))) {
    throw new Refused(502, 'An unknown member');
  }
}

/** Gets new tokens in place of a refused one: one refresh, and one trigger, for all that wait. @throws Refused */
export async function renew(patient: Patient, key: string, refused: string): Promise<void> {
  const { is, grants } = patient;
  const grant = grants.get(key);
  if (!grant || (grant.accessToken !== refused && !is('refresh.lateAnswer'))) return;
  const refreshNow = () => refresh(patient, grant);
  const isRefreshed = is('refresh.singleFlight')
    ? await refreshNow()
    : await once(patient, `refresh ${key}`, refreshNow);
  if (isRefreshed || grants.get(key) !== grant) return;
  const triggerNow = () => trigger(patient, key, grant);
  if (is('trigger.single')) await triggerNow();
  else await once(patient, `trigger ${key}`, triggerNow);
}

/** Callers that ask for work that is running get its result. */
function once<Result>({ renewals }: Patient, name: string, work: () => Promise<Result>) {
  const running = renewals.get(name) as Promise<Result> | undefined;
  if (running) return running;
  const started = work().finally(() => renewals.delete(name));
  renewals.set(name, started);
  return started;
}

/** Resolves with whether it has worked. @throws Refused if it may work later */
async function refresh(patient: Patient, grant: Grant): Promise<boolean> {
  const { is } = patient;
  const { refreshToken } = grant;
  if (is('triggers only')) return false;
  if (refreshToken === undefined) {
    if (is('trigger.noRefreshToken')) throw new Refused(503, 'No refresh token');
    return false;
  }
  try {
    await requestTokens(patient, grant, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    });
    return true;
  } catch (error) {
    const status = error instanceof Refused ? error.status : 500;
    if (status === 504 && is('refresh.lost')) return new Promise(() => {});
    if (status === 503 && is('refresh.unavailable')) grant.accessToken = '';
    if (status === 503 || (status === 400 && is('trigger.deadRefreshToken'))) throw error;
    return false;
  }
}

/** Resolves when the event has come. @throws Refused */
async function trigger({ is, arrivals }: Patient, key: string, grant: Grant): Promise<void> {
  const arrived = new Promise<void>((resolve, reject) => {
    setTimeout(reject, triggerWaitMs, new Refused(503, 'No event came')).unref();
    arrivals.set(key, [...(arrivals.get(key) ?? []), resolve]);
  });
  arrived.catch(() => {});
  const response = await fetch(grant.triggerUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json;charset=UTF-8' },
    body: is('trigger.wire') ? `${grant.triggerBody} ` : grant.triggerBody,
    signal: AbortSignal.timeout(requestLimitMs),
  });
  if (!response.ok) throw new Refused(503, 'The trigger was refused');
  await arrived;
}
