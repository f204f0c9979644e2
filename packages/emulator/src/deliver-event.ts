/**
 * One attempt to hand an event to a plug-in's back end, and the verdict on its answer (Spec §6, §7):
 * only 201 with JSON is success.
 */
import { type LifecycleEventName, refusalSchema } from '@dowel/schema';
import { isJson, readBoundedJson } from './bounded-json.ts';
import type { Delivery } from './control-api.ts';
import type { Environment } from './environment.ts';

const maxAnswerBytes = 64 * 1024;

export type DeliveryOutcome = Omit<Delivery, 'id'>;

export async function deliverEvent(
  env: Environment,
  { event, url, eventJwt }: { event: LifecycleEventName; url: URL; eventJwt: string },
): Promise<DeliveryOutcome> {
  const sentAt = env.now();
  const verdict = await post(env, url, eventJwt);
  return { event, sentAt, durationMs: env.now() - sentAt, url: url.href, ...verdict };
}

type Verdict = Pick<Delivery, 'status' | 'error'>;

async function post(env: Environment, url: URL, eventJwt: string): Promise<Verdict> {
  const timeout = AbortSignal.timeout(env.timeoutMs);
  try {
    const response = await env.fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ token: eventJwt }),
      redirect: 'manual',
      signal: AbortSignal.any([timeout, env.closed]),
    });
    return { status: response.status, error: await judge(response, timeout) };
  } catch {
    const seconds = env.timeoutMs / 1000;
    const message = timeout.aborted ? `No answer within ${seconds} s` : 'The connection failed';
    return { status: null, error: { code: 'NO_RESPONSE', message } };
  }
}

/** @throws what aborted the reading, when it was the clock. */
async function judge(response: Response, timeout: AbortSignal): Promise<Delivery['error']> {
  const notJson = { code: 'INVALID_RESPONSE', message: 'Expected JSON' } as const;
  if (!isJson(response.headers.get('content-type'))) {
    await response.body?.cancel();
    return notJson;
  }
  try {
    const answer = await readBoundedJson(response, maxAnswerBytes);
    return response.status === 201 ? null : refusal(response.status, answer);
  } catch {
    timeout.throwIfAborted();
    return notJson;
  }
}

function refusal(status: number, answer: unknown): Delivery['error'] {
  const { data } = refusalSchema.safeParse(answer);
  const message = data
    ? `${data.message} (status ${status}, code ${data.code})`
    : `Status ${status}`;
  return { code: 'REFUSED', message };
}
