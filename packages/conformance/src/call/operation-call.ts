/** `--call dowel:createNotification`: an operation of a back end that is built with Dowel. */
import { maskSecrets } from '@dowel/emulator';
import { freshFetch } from '../fresh-fetch.ts';
import type { CallModule, PageContext, SendMessage } from './caller.ts';

const limitMs = 30_000;

/**
 * A call of this operation, with the input of `createNotification`.
 *
 * @example
 * const call = createOperationCall('createNotification');
 */
export function createOperationCall(operation: string): CallModule {
  return { prepare: (page) => openSession(page, operation) };
}

async function openSession(page: PageContext, operation: string): Promise<SendMessage> {
  const { base, instanceId, recipientId } = page;
  const { nonce } = await post<{ nonce: string }>(`${base}/api/session/nonce`, {});
  const initJwt = await page.createInitJwt(nonce);
  const { sessionToken } = await post<{ sessionToken: string }>(`${base}/api/session`, {
    initJwt,
    instanceId,
  });
  const headers = { authorization: `Bearer ${sessionToken}` };
  return (message) => send(`${base}/api/${operation}`, { body: { recipientId, message }, headers });
}

async function post<Answer>(url: string, body: object): Promise<Answer> {
  const response = await send(url, { body });
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as Answer;
  const shown = maskSecrets(text).slice(0, 120);
  throw new Error(`${new URL(url).pathname} answered ${response.status} ${shown}`);
}

function send(
  url: string,
  { body, headers }: { body: object; headers?: Record<string, string> },
): Promise<Response> {
  return freshFetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(limitMs),
  });
}
