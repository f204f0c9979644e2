/**
 * Calls operations of the plug-in's back end by name: `client.vote(input)` is `POST /api/vote`. The adapter
 * opens the session and renews it.
 */
import type { CallOptions, Client, SessionFetch } from './client-types.ts';
import { OperationError, type OperationErrorDetails } from './operation-error.ts';

/**
 * Creates a client for the back end's table of operations. Each operation is one function, the same at every
 * access, so React's hooks may depend on it. Creating a client sends nothing.
 *
 * @param session an adapter
 * @param apiUrl where the operations are, with a slash at the end. Default `/api/`. For a back end with a base
 * path it is the folder of the adapter's `sessionUrl`, such as `/polls/api/`.
 *
 * @example
 * const client = createClient<typeof operations>(adapter);
 * const { votes } = await client.vote({ choice: 'soup' });
 */
export function createClient<Operations>(
  session: { fetch: SessionFetch },
  apiUrl: `${string}/` = '/api/',
): Client<Operations> {
  // With these, `await client` and `JSON.stringify(client)` call nothing.
  // oxlint-disable unicorn/no-thenable -- it is undefined, so the client is no promise
  // biome-ignore lint/suspicious/noThenProperty: the same
  const calls = { then: undefined, toJSON: undefined } as Record<string | symbol, unknown>;
  return new Proxy(calls, {
    get(_target, name) {
      const isNew = typeof name === 'string' && !(name in calls);
      if (isNew) calls[name] = createCall(session, apiUrl + name);
      return calls[name];
    },
  }) as Client<Operations>;
}

/** For a whole call. The adapter has a minute each for handshake, session and the headers of an answer. */
const timeoutMs = 180_000;

function createCall(session: { fetch: SessionFetch }, path: string) {
  /** @throws OperationError, and nothing else */
  const send = async (body: string, options?: CallOptions): Promise<unknown> => {
    const signal = options?.signal;
    const limit = AbortSignal.timeout(timeoutMs);
    const mayHaveRun = !signal?.aborted;
    let response: Response | undefined;
    let answer: Partial<OperationErrorDetails> | undefined;
    let cause: Partial<OperationErrorDetails> | undefined;
    try {
      response = await session.fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.any([limit, signal ?? limit]),
      });
      answer = (await response.json()) as Partial<OperationErrorDetails>;
      if (response.ok) return answer;
      // A proxy in between may answer in a form of its own.
      if (typeof answer?.code !== 'string') answer = undefined;
    } catch (error) {
      cause = error as Error;
    }
    throw new OperationError({
      code: signal?.aborted ? 'ABORTED' : 'NO_ANSWER',
      // The adapter's own errors come before the request is sent, except that it was destroyed.
      mayHaveRun: mayHaveRun && !answer && !/ERR(?!_D)/.test(cause?.code as string),
      cause,
      ...answer,
      status: response?.status ?? 0,
    });
  };
  // The TypeError of an input that is no JSON is thrown by both: it is a mistake of the page, and nothing was sent.
  const call = async (input: unknown, options?: CallOptions) =>
    send(JSON.stringify(input), options);
  call.safe = async (input: unknown, options?: CallOptions) =>
    send(JSON.stringify(input), options).then(
      (value) => ({ ok: true, value }),
      (error) => ({ ok: false, error }),
    );
  return call;
}
