/**
 * One attempt to send an event to a plug-in's back end, and the check of its answer (Spec §6, §7):
 * only 201 with JSON is success.
 */
import { explainFetchFailure } from '@dowel/http';
import { type LifecycleEventName, refusalSchema } from '@dowel/schema';
import { isJson, readBoundedJson } from './bounded-json.ts';
import { describeAnswer, readStart, shownUrl } from './describe-answer.ts';
import type { Environment } from './environment.ts';
import type { ExchangeEnd, ExchangeRecord, ExchangeStart } from './exchange-log.ts';

const maxAnswerBytes = 64 * 1024;

/** An event that is ready to be sent. */
export interface Dispatch {
  tenantId: string;
  pluginId: string;
  event: LifecycleEventName;
  url: URL;
  eventJwt: string;
  /** The name of the fault that changes it. */
  fault?: string | null | undefined;
}

/** Resolves with the record of the request and its answer. Never rejects. */
export async function deliverEvent(
  env: Environment,
  { url, eventJwt, fault = null, ...names }: Dispatch,
): Promise<ExchangeRecord> {
  const request = requestOf(env.eventFormat, eventJwt);
  const start: ExchangeStart = {
    ...names,
    ...request,
    at: env.now(),
    direction: 'out',
    kind: 'event',
    method: 'POST',
    url: url.href,
    fault,
  };
  const record = env.exchanges.begin(start);
  const end = await post(env, url, request);
  env.exchanges.end(record, { answeredAt: end.status === null ? null : env.now(), ...end });
  return record;
}

type Verdict = Omit<ExchangeEnd, 'answeredAt'>;

async function post(
  env: Environment,
  url: URL,
  request: Pick<ExchangeStart, 'headers' | 'body'>,
): Promise<Verdict> {
  const timeout = AbortSignal.timeout(env.timeoutMs);
  try {
    const response = await env.fetch(url, {
      method: 'POST',
      ...request,
      redirect: 'manual',
      signal: AbortSignal.any([timeout, env.closed]),
    });
    const { error, body } = await judge(env, response, { url, timeout });
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, error, answer: { headers, body } };
  } catch (error) {
    const seconds = env.timeoutMs / 1000;
    const message = timeout.aborted
      ? `POST ${shownUrl(url)} had no answer within ${seconds} s`
      : `POST ${shownUrl(url)} failed (${explainFetchFailure(error)})`;
    return { status: null, error: { code: 'NO_RESPONSE', message }, answer: null };
  }
}

/** A form, as the platform sends it, or the JSON of Spec §4.4. */
function requestOf(
  format: Environment['eventFormat'],
  eventJwt: string,
): Pick<ExchangeStart, 'headers' | 'body'> {
  const accept = 'application/json';
  if (format === 'json') {
    return {
      headers: { accept, 'content-type': 'application/json' },
      body: JSON.stringify({ token: eventJwt }),
    };
  }
  return {
    headers: { accept, 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
    body: new URLSearchParams({ token: eventJwt }).toString(),
  };
}

/** @throws the reason of the abort, if the time limit ended the reading. */
async function judge(
  { tolerates }: Environment,
  response: Response,
  { url, timeout }: { url: URL; timeout: AbortSignal },
): Promise<{ error: ExchangeEnd['error']; body: string }> {
  const { body, json } = await readAnswer(response);
  timeout.throwIfAborted();
  if (response.ok && tolerates.includes('status.2xx')) return { error: null, body };
  if (json) {
    const error = response.status === 201 ? null : refusal(response.status, json.value);
    return { error, body };
  }
  const answer = describeAnswer(response, { method: 'POST', url, text: body });
  return { error: { code: 'INVALID_RESPONSE', message: `Expected JSON. ${answer}` }, body };
}

/** The body, or its beginning, and its JSON if it is JSON. */
async function readAnswer(
  response: Response,
): Promise<{ body: string; json?: { value: unknown } }> {
  if (!isJson(response.headers.get('content-type'))) return { body: await readStart(response) };
  let body = '';
  try {
    const value = await readBoundedJson(response, maxAnswerBytes, (text) => (body += text));
    return { body, json: { value } };
  } catch {
    return { body };
  }
}

function refusal(status: number, answer: unknown): ExchangeEnd['error'] {
  const { data } = refusalSchema.safeParse(answer);
  const message = data
    ? `${data.message} (status ${status}, code ${data.code})`
    : `Status ${status}, expected 201`;
  return { code: 'REFUSED', message };
}
