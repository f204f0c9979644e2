/** The tokens of the hand-written floor: one promise for each key, in memory, for one process. */

/** What a refresh needs. `token` is below the address, which ends with a slash. */
export interface FloorGrant {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
}

export interface FloorTokens {
  accessToken: string;
  refreshToken: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

const marginMs = 10_000;

export function keepTokens(grants: ReadonlyMap<string, FloorGrant & FloorTokens>) {
  const tokens = new Map<string, FloorTokens>(grants);
  const refreshes = new Map<string, Promise<FloorTokens>>();

  /** Other tokens than the ones that were refused: those that came meanwhile, or those of a refresh. */
  function refresh(key: string, used: FloorTokens): Promise<FloorTokens> {
    const current = tokens.get(key);
    if (current && current !== used) return Promise.resolve(current);
    const running = refreshes.get(key);
    if (running) return running;
    const started = requestTokens(grants.get(key) as FloorGrant, used)
      .then((fresh) => {
        tokens.set(key, fresh);
        return fresh;
      })
      .finally(() => refreshes.delete(key));
    refreshes.set(key, started);
    return started;
  }

  async function usable(key: string): Promise<FloorTokens> {
    const running = refreshes.get(key);
    if (running) return running;
    const current = tokens.get(key);
    if (!current) throw new Error('There are no tokens');
    return Date.now() < current.expiresAt - marginMs ? current : refresh(key, current);
  }

  return { usable, refresh };
}

async function requestTokens(grant: FloorGrant, used: FloorTokens): Promise<FloorTokens> {
  const credentials = Buffer.from(`${grant.clientId}:${grant.clientSecret}`);
  const startedAt = Date.now();
  const response = await fetch(`${grant.baseUrl}token`, {
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
