/**
 * The floor: a token client that a good engineer writes by hand in an hour. One promise per key, compares the token
 * that was refused, tries once more, keeps rotated tokens; in memory, for one process.
 */
import { bareFetch, type CreateContender, finish, type Setting } from './contender.ts';

interface Tokens {
  accessToken: string;
  refreshToken: string;
  expiresAt: number;
}

const key = 'installation';
const marginMs = 10_000;

export const createContender: CreateContender = (setting) => {
  const tokens = new Map<string, Tokens>([[key, setting]]);
  const refreshes = new Map<string, Promise<Tokens>>();

  function refresh(key: string, used: Tokens): Promise<Tokens> {
    const current = tokens.get(key);
    if (current && current !== used) return Promise.resolve(current);
    const running = refreshes.get(key);
    if (running) return running;
    const started = requestTokens(setting, used)
      .then((fresh) => {
        tokens.set(key, fresh);
        return fresh;
      })
      .finally(() => refreshes.delete(key));
    refreshes.set(key, started);
    return started;
  }

  async function usable(key: string): Promise<Tokens> {
    const running = refreshes.get(key);
    if (running) return running;
    const current = tokens.get(key);
    if (!current) throw new Error('There are no tokens');
    return Date.now() < current.expiresAt - marginMs ? current : refresh(key, current);
  }

  async function fetchWithToken(key: string, url: string): Promise<Response> {
    const used = await usable(key);
    const response = await send(url, used);
    if (response.status !== 401) return response;
    await response.arrayBuffer();
    return send(url, await refresh(key, used));
  }

  return {
    call: async () => finish(await fetchWithToken(key, `${setting.baseUrl}api`)),
    bare: bareFetch(setting),
  };
};

function send(url: string, { accessToken }: Tokens): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${accessToken}` } });
}

async function requestTokens(setting: Setting, used: Tokens): Promise<Tokens> {
  const credentials = Buffer.from(`${setting.clientId}:${setting.clientSecret}`);
  const startedAt = Date.now();
  const response = await fetch(`${setting.baseUrl}token`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials.toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: used.refreshToken }),
  });
  if (!response.ok) throw new Error(`The token endpoint answered ${response.status}`);
  const body = (await response.json()) as {
    access_token: string;
    refresh_token?: string;
    expires_in: number;
  };
  return {
    accessToken: body.access_token,
    refreshToken: body.refresh_token ?? used.refreshToken,
    expiresAt: startedAt + body.expires_in * 1000,
  };
}
