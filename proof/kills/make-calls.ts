/** Makes many calls at once, and counts their outcomes. */
import type { TokenClient } from '@dowel/token-client';

/** The number of calls by status, or by error code. */
export type Outcomes = Record<string, number>;

export async function makeCalls(
  client: Pick<TokenClient, 'fetch'>,
  installationId: string,
  count: number,
): Promise<Outcomes> {
  const calls = Array.from({ length: count }, () => call(client, installationId));
  const counts: Outcomes = {};
  for (const outcome of await Promise.all(calls)) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

async function call(client: Pick<TokenClient, 'fetch'>, installationId: string): Promise<string> {
  try {
    const response = await client.fetch(installationId, '/things', { method: 'POST', body: '{}' });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    const { code, name } = error as { code?: string; name: string };
    return code ?? name;
  }
}
