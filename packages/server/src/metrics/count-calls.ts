import { type TokenClient, TokenClientError } from '@dowel/token-client';
import type { Metrics } from './create-metrics.ts';
import { refusalCode, statusClass } from './label-values.ts';

/** Returns the token client with a count of its calls. A call is counted when its headers arrive, or when it fails. */
export function countCalls<Client extends Pick<TokenClient, 'fetch'>>(
  { calls, callSeconds, refusedCalls }: Metrics,
  tokenClient: Client,
): Client {
  const { fetch: send } = tokenClient;
  return {
    ...tokenClient,
    fetch: async (...call: Parameters<typeof send>) => {
      const startedAt = performance.now();
      try {
        const response = await send(...call);
        calls[statusClass(response.status)] += 1;
        callSeconds.observe((performance.now() - startedAt) / 1_000);
        return response;
      } catch (error) {
        const code = error instanceof TokenClientError ? refusalCode(error.code) : undefined;
        if (code !== undefined) refusedCalls.inc({ code });
        else if (!isOfCaller(error)) {
          calls.none += 1;
          callSeconds.observe((performance.now() - startedAt) / 1_000);
        }
        throw error;
      }
    },
  };
}

/** A wrong path, or an abort: the platform is not at fault. */
function isOfCaller(error: unknown): boolean {
  const { name, cause } = error as Error;
  return name === 'AbortError' || (name === 'TypeError' && cause === undefined);
}
