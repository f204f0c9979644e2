/**
 * Calls operations of the plug-in's back end by name: `client.vote(input)` is `POST /api/vote`. The adapter
 * opens the session and renews it.
 */

import type { PluginError } from '../plugin-error.ts';
import { readRetryAfterMs } from '../retry-after.ts';
import type { CallOptions, Client, SafeResult, SessionFetch } from './client-types.ts';
import { OperationError } from './operation-error.ts';

/**
 * Creates a client for the back end's table of operations. Each operation is one function, the same at every
 * access, so React's hooks may depend on it. Creating a client sends nothing.
 *
 * @param session an adapter, or what else sends requests with the session and limits their time. If its `signal` is
 * aborted, a call sends nothing.
 * @param apiUrl where the operations are, with or without a slash at the end. Default `/api/`. For a back end with a
 * base path it is the folder of the adapter's `sessionUrl`, such as `/polls/api/`.
 *
 * @example
 * const client = createClient<typeof operations>(adapter);
 * const { votes } = await client.vote({ choice: 'soup' });
 */
export function createClient<Operations>(
  session: CallingSession,
  apiUrl = '/api/',
): Client<Operations> {
  // With these, `await client` and `JSON.stringify(client)` call nothing.
  // oxlint-disable unicorn/no-thenable -- it is undefined, so the client is no promise
  // biome-ignore lint/suspicious/noThenProperty: the same
  const reserved: Record<string | symbol, unknown> = { then: undefined, toJSON: undefined };
  return new Proxy(reserved, {
    get(calls, name) {
      const isNew = !(name in calls) && typeof name === 'string';
      if (isNew) calls[name] = createCall(session, `${apiUrl.replace(/\/$/, '')}/${name}`);
      return calls[name];
    },
  }) as Client<Operations>;
}

interface CallingSession {
  fetch: SessionFetch;
  signal?: AbortSignal;
}

/** The members of an error's body. A proxy in between may answer with any value. */
type ErrorBody = Partial<Record<keyof OperationError, unknown>>;

/** The time of a call is limited by its `session`. */
function createCall(session: CallingSession, path: string) {
  /** @throws TypeError for an input that is no JSON: it is a mistake of the page, and nothing was sent */
  const safe = async (
    input: unknown,
    options?: CallOptions,
  ): Promise<SafeResult<unknown, string>> => {
    const body = JSON.stringify(input);
    const isEnded = options?.signal?.aborted || session.signal?.aborted;
    let response: Response | undefined;
    let answer: unknown;
    let cause: Partial<PluginError> | undefined;
    try {
      response = await session.fetch(path, {
        ...(options as RequestInit),
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      answer = await response.json();
      if (response.ok) return { ok: true, value: answer };
    } catch (error) {
      cause = error as Error;
    }
    const said: ErrorBody = Object(answer);
    const isError = typeof said.code === 'string';
    // A proxy in between may have passed the call on, and has codes of its own. It has no mark.
    const isOurs = isError && response?.headers.has('dowel-answer');
    // The adapter's own errors come before the request is sent, except that it was destroyed.
    const isSent = !isEnded && (cause?.name !== 'PluginError' || cause.code === 'ERR_DESTROYED');
    const error = Object.assign(
      new (OperationError as unknown as ErrorConstructor)(
        (isError ? said.message : cause) as string,
      ),
      {
        code: isError ? said.code : options?.signal?.aborted ? 'ABORTED' : 'NO_ANSWER',
        status: response?.status ?? 0,
        retryAfterMs:
          typeof said.retryAfterMs === 'number'
            ? said.retryAfterMs
            : (readRetryAfterMs(response) ?? cause?.retryAfterMs),
        mayHaveRun: isSent && (typeof said.mayHaveRun === 'boolean' ? said.mayHaveRun : !isOurs),
        cause,
      },
    );
    return { ok: false, error: error as OperationError };
  };
  const call = async (input: unknown, options?: CallOptions) => {
    const result = await safe(input, options);
    if (result.ok) return result.value;
    throw result.error;
  };
  call.safe = safe;
  return call;
}
