/** `--call dowel:createNotification`: an operation of a back end that is built with Dowel. */
import { maskSecrets } from '@dowel/emulator';
import { readStart } from '../read-start.ts';
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
  const { instanceId, recipientId } = page;
  const { nonce } = await open<{ nonce: string }>(page, { path: '/api/session/nonce', body: {} });
  const initJwt = await page.createInitJwt(nonce);
  const { sessionToken } = await open<{ sessionToken: string }>(page, {
    path: '/api/session',
    body: { initJwt, instanceId },
  });
  const path = `/api/${operation}`;
  const headers = { authorization: `Bearer ${sessionToken}` };
  return (message) => send(page, { path, body: { recipientId, message }, headers });
}

interface Post {
  path: string;
  body: object;
  headers?: Record<string, string>;
}

async function open<Answer>(page: PageContext, post: Post): Promise<Answer> {
  const response = await send(page, post);
  const text = await readStart(response);
  if (response.ok) return JSON.parse(text) as Answer;
  const shown = maskSecrets(text).slice(0, 120);
  throw new Error(`${post.path} answered ${response.status} ${shown}`);
}

function send({ base, fetch }: PageContext, { path, body, headers }: Post): Promise<Response> {
  return fetch(`${base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal: AbortSignal.timeout(limitMs),
  });
}
