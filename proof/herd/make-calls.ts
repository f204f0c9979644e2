/** Makes many calls at once, and counts their outcomes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenClient } from '@dowel/token-client';

export interface CallPlan {
  installationIds: string[];
  /** The number of calls of each installation. */
  count: number;
  /** The pause between the starts of one installation's calls. Default 0. */
  staggerMs?: number;
}

/** The number of calls by status, or by error code and reason. */
export type Outcomes = Record<string, number>;

export async function makeCalls(
  client: Pick<TokenClient, 'fetch'>,
  { installationIds, count, staggerMs = 0 }: CallPlan,
): Promise<Outcomes> {
  const calls = installationIds.flatMap((installationId) =>
    Array.from({ length: count }, (_, index) => call(client, installationId, index * staggerMs)),
  );
  return countOutcomes(await Promise.all(calls));
}

async function call(
  client: Pick<TokenClient, 'fetch'>,
  installationId: string,
  delayMs: number,
): Promise<string> {
  if (delayMs > 0) await sleep(delayMs);
  try {
    const response = await client.fetch(installationId, '/things', { method: 'POST', body: '{}' });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    const { code, reason, name } = error as { code?: string; reason?: string; name: string };
    return [code ?? name, ...(reason === undefined ? [] : [reason])].join(': ');
  }
}

function countOutcomes(outcomes: string[]): Outcomes {
  const counts: Outcomes = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

export function addOutcomes(all: Outcomes[]): Outcomes {
  const sum: Outcomes = {};
  for (const outcomes of all) {
    for (const [outcome, count] of Object.entries(outcomes)) {
      sum[outcome] = (sum[outcome] ?? 0) + count;
    }
  }
  return sum;
}
