/**
 * One attempt to send an event to a plug-in's back end, and the check of its answer (Spec §6, §7):
 * only 201 with JSON is success.
 */
import { type LifecycleEventName, refusalSchema } from '@dowel/schema';
import { isJson, readBoundedJson } from './bounded-json.ts';
import type { Delivery } from './control-api.ts';
import { describeAnswer, readStart, shownUrl } from './describe-answer.ts';
import type { Environment } from './environment.ts';
import { explainFetchFailure } from './explain-fetch-failure.ts';

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
      ...bodyOf(env.eventFormat, eventJwt),
      redirect: 'manual',
      signal: AbortSignal.any([timeout, env.closed]),
    });
    return { status: response.status, error: await findError(response, url, timeout) };
  } catch (error) {
    const seconds = env.timeoutMs / 1000;
    const message = timeout.aborted
      ? `POST ${shownUrl(url)} had no answer within ${seconds} s`
      : `POST ${shownUrl(url)} failed (${explainFetchFailure(error)})`;
    return { status: null, error: { code: 'NO_RESPONSE', message } };
  }
}

/** A form, as the platform sends it, or the JSON of Spec §4.4. */
function bodyOf(format: Environment['eventFormat'], eventJwt: string): RequestInit {
  const accept = 'application/json';
  if (format === 'form') {
    return { headers: { accept }, body: new URLSearchParams({ token: eventJwt }) };
  }
  return {
    headers: { accept, 'content-type': 'application/json' },
    body: JSON.stringify({ token: eventJwt }),
  };
}

/** @throws the reason of the abort, if the time limit ended the reading. */
async function findError(
  response: Response,
  url: URL,
  timeout: AbortSignal,
): Promise<Delivery['error']> {
  const read = await readAnswer(response, maxAnswerBytes);
  timeout.throwIfAborted();
  if ('json' in read) return response.status === 201 ? null : refusal(response.status, read.json);
  const answer = describeAnswer(response, { method: 'POST', url, text: read.start });
  return { code: 'INVALID_RESPONSE', message: `Expected JSON. ${answer}` };
}

/** The JSON, or the beginning of a body that is not JSON. */
async function readAnswer(
  response: Response,
  maxBytes: number,
): Promise<{ json: unknown } | { start: string }> {
  if (!isJson(response.headers.get('content-type'))) return { start: await readStart(response) };
  let start = '';
  try {
    return { json: await readBoundedJson(response, maxBytes, (text) => (start += text)) };
  } catch {
    return { start };
  }
}

function refusal(status: number, answer: unknown): Delivery['error'] {
  const { data } = refusalSchema.safeParse(answer);
  const message = data
    ? `${data.message} (status ${status}, code ${data.code})`
    : `Status ${status}, expected 201`;
  return { code: 'REFUSED', message };
}
