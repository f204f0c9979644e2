/**
 * The floor: a token client that a good engineer writes by hand in an hour. One promise per key, compares the token
 * that was refused, tries once more, keeps rotated tokens; in memory, for one process.
 */
import { bareFetch, type CreateContender, finish } from './contender.ts';
import { type FloorTokens, keepTokens } from './floor-tokens.ts';

const key = 'installation';

export const createContender: CreateContender = (setting) => {
  const { usable, refresh } = keepTokens(new Map([[key, setting]]));

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

function send(url: string, { accessToken }: FloorTokens): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${accessToken}` } });
}
