/** For tests only: the sample plug-in between a fake platform and a fake back end. */
import { createFakeHost, type FakeHost, type FakeHostOptions } from '@dowel/adapter/testing';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { StrictMode } from 'react';
import { vi } from 'vitest';
import { Start } from './start.tsx';

export type Answer = () => Response | Promise<Response>;

export interface BackEnd {
  /** Each route gives its answers in order and repeats the last. A route without answers never responds. */
  routes: Record<string, Answer[]>;
  /** The requests to a route. */
  asked: (path: string) => RequestInit[];
}

export function json(status: number, body: object, headers = {}): Answer {
  return () => Response.json(body, { status, headers });
}

export const session = (sessionToken: string) => json(201, { sessionToken, expiresAt: 0 });
/** A new nonce each time. */
const nonce: Answer = () => Response.json({ nonce: crypto.randomUUID(), expiresInMs: 120_000 });
export const sent = json(200, {});

export function startBackEnd(): BackEnd {
  const requests: { path: string; init: RequestInit }[] = [];
  const backEnd: BackEnd = {
    routes: {
      '/config.json': [json(200, { keyOrigins: ['https://keys.tenant.example'] })],
      '/api/session/nonce': [nonce],
      '/api/session': [session('session-1')],
      '/api/createNotification': [sent],
    },
    asked: (path) => requests.filter((each) => each.path === path).map(({ init }) => init),
  };
  vi.stubGlobal('fetch', async (url: string | URL, init: RequestInit) => {
    const path = new URL(url).pathname;
    requests.push({ path, init });
    const answers = backEnd.routes[path] ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined) throw new TypeError('Failed to fetch');
    return answer();
  });
  return backEnd;
}

/** Call it after startBackEnd, because the host intercepts the fetch of its key. */
export async function openPage(options: FakeHostOptions = {}): Promise<FakeHost> {
  const host = await createFakeHost({ keyDelivery: 'jku', ...options });
  history.replaceState(null, '', host.url('/'));
  render(
    <StrictMode>
      <Start view={host.view} />
    </StrictMode>,
  );
  return host;
}

export async function openForm(options: FakeHostOptions = {}) {
  const host = await openPage(options);
  await screen.findByRole('button', { name: /^(Send notification|Benachrichtigung senden)$/ });
  return { host, user: userEvent.setup() };
}

export async function fillAndSend(options: FakeHostOptions = {}) {
  const opened = await openForm(options);
  const { user } = opened;
  await user.type(screen.getByRole('textbox', { name: "Colleague's email" }), 'ada@example.com');
  await user.type(screen.getByRole('textbox', { name: 'Message' }), 'Lunch?');
  await user.click(screen.getByRole('button', { name: 'Send notification' }));
  return opened;
}

export function bodyOf(init: RequestInit | undefined): unknown {
  return JSON.parse(init?.body as string);
}

export function bearerOf(init: RequestInit | undefined): string | null {
  return new Headers(init?.headers).get('authorization');
}
