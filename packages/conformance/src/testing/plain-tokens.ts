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
  grant.refreshToken = tokens?.refresh_token ?? grant.refreshToken;
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

/** One renewal for all that wait. */
export function renew(patient: Patient, key: string, refused: string): Promise<void> {
  const { grants, renewals } = patient;
  const grant = grants.get(key);
  if (!grant || grant.accessToken !== refused) return Promise.resolve();
  const running = renewals.get(key);
  if (running) return running;
  const started = refreshOrTrigger(patient, key, grant).finally(() => renewals.delete(key));
  renewals.set(key, started);
  return started;
}

async function refreshOrTrigger(patient: Patient, key: string, grant: Grant): Promise<void> {
  const { refreshToken } = grant;
  try {
    if (refreshToken === undefined) throw new Refused(400, 'No refresh token');
    await requestTokens(patient, grant, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    });
  } catch (error) {
    if (error instanceof Refused && error.status === 503) throw error;
    await trigger(patient, key, grant);
  }
}

/** Resolves when the event has come. @throws Refused */
async function trigger({ arrivals }: Patient, key: string, grant: Grant): Promise<void> {
  const arrived = new Promise<void>((resolve, reject) => {
    setTimeout(reject, triggerWaitMs, new Refused(503, 'No event came')).unref();
    arrivals.set(key, [...(arrivals.get(key) ?? []), resolve]);
  });
  arrived.catch(() => {});
  const response = await fetch(grant.triggerUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json;charset=UTF-8' },
    body: grant.triggerBody,
    signal: AbortSignal.timeout(requestLimitMs),
  });
  if (!response.ok) throw new Refused(503, 'The trigger was refused');
  await arrived;
}
