import { type Connection, PluginError } from '@dowel/adapter';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { App } from './app.tsx';

const connect = vi.hoisted(() => vi.fn<() => Promise<Connection>>());
vi.mock('@dowel/adapter', async (original) => ({ ...(await original<object>()), connect }));

type Answer = () => Response | Promise<Response>;
let routes: Record<string, Answer[]>;
let requests: { path: string; init: RequestInit }[];

function json(status: number, body: object, headers = {}): Answer {
  return () => Response.json(body, { status, headers });
}

const config = json(200, { keyOrigins: ['https://keys.example'] });
const session = (sessionToken: string) => json(201, { sessionToken, expiresAt: 0 });
const sent = json(201, {});

/** Each route answers with its next answer, the last one for ever. */
async function fakeFetch(url: string, init: RequestInit): Promise<Response> {
  const path = new URL(url).pathname;
  requests.push({ path, init });
  const answers = routes[path] ?? [];
  const answer = answers.length > 1 ? answers.shift() : answers[0];
  if (answer === undefined) throw new TypeError('Failed to fetch');
  return answer();
}

function connection(ctx: Connection['claims']['ctx'] = {}, initJwt = 'init.jwt.1'): Connection {
  return {
    claims: {
      iss: 'https://tenant.example',
      sub: 'init',
      jti: 'j',
      iat: 0,
      exp: 0,
      ctx: { userId: 'u1', userName: 'Robin Berg', userEmail: 'robin@example.com', ...ctx },
    },
    initJwt,
    instanceId: 'instance-1',
    setHeight: vi.fn(),
    observeHeight: vi.fn(() => () => {}),
    close: vi.fn(),
  };
}

beforeEach(() => {
  requests = [];
  routes = {
    '/config.json': [config],
    '/api/session': [session('session-1')],
    '/api/notifications': [sent],
  };
  connect.mockReset().mockImplementation(async () => connection());
  vi.stubGlobal('fetch', fakeFetch);
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

async function openForm() {
  render(<App />);
  await screen.findByRole('button', { name: /^(Send notification|Benachrichtigung senden)$/ });
  return userEvent.setup();
}

async function fillAndSend() {
  const user = await openForm();
  await user.type(screen.getByRole('textbox', { name: "Colleague's email" }), 'ada@example.com');
  await user.type(screen.getByRole('textbox', { name: 'Message' }), 'Lunch?');
  await user.click(screen.getByRole('button', { name: 'Send notification' }));
  return user;
}

function posted(path: string) {
  return requests.filter((request) => request.path === path);
}

function bodyOf(request: { init: RequestInit } | undefined): unknown {
  return JSON.parse(request?.init.body as string);
}

function bearerOf(request: { init: RequestInit } | undefined) {
  return new Headers(request?.init.headers).get('authorization');
}

describe('the page', () => {
  test('greets the verified user and trusts only the keys of its own back end', async () => {
    await openForm();

    expect(screen.getByRole('heading', { level: 1, name: /Robin Berg/ })).toBeDefined();
    expect(screen.getByText('robin@example.com')).toBeDefined();
    expect(connect).toHaveBeenCalledWith(
      expect.objectContaining({ keyOrigins: ['https://keys.example'] }),
    );
    expect(bodyOf(posted('/api/session')[0])).toEqual({
      initJwt: 'init.jwt.1',
      instanceId: 'instance-1',
    });
  });

  test('sends with the session as bearer, without cookies, and says so', async () => {
    await fillAndSend();

    expect((await screen.findByText(/sent to ada@example.com/)).getAttribute('role')).toBe(
      'status',
    );
    const [request] = posted('/api/notifications');
    expect(bearerOf(request)).toBe('Bearer session-1');
    expect(request?.init.credentials).toBe('omit');
    expect(bodyOf(request)).toEqual({
      recipientEmail: 'ada@example.com',
      message: 'Lunch?',
    });
  });

  test('speaks German to a user who does', async () => {
    connect.mockImplementation(async () => connection({ userLanguage: 'de-CH' }));
    const user = await openForm();
    await user.type(screen.getByLabelText('E-Mail-Adresse der Person'), 'ada@example.com');
    await user.type(screen.getByLabelText('Nachricht'), 'Essen?');
    await user.click(screen.getByRole('button', { name: 'Benachrichtigung senden' }));

    await screen.findByText('Benachrichtigung an ada@example.com gesendet.');
    expect(document.documentElement.lang).toBe('de');
  });
});

describe('the form', () => {
  test('sends once for a double click', async () => {
    const user = await openForm();
    await user.type(screen.getByLabelText("Colleague's email"), 'ada@example.com');
    await user.type(screen.getByLabelText('Message'), 'Lunch?');
    await user.dblClick(screen.getByRole('button', { name: 'Send notification' }));

    await screen.findByText(/sent to/);
    expect(posted('/api/notifications')).toHaveLength(1);
    expect(screen.queryByText('Write a message first.')).toBeNull();
  });

  test('is disabled while it sends', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    routes['/api/notifications'] = [() => promise];
    const user = await fillAndSend();
    const button = screen.getByRole('button', { name: 'Send notification' });
    await user.click(button);
    await user.type(screen.getByLabelText('Message'), 'more{Enter}');

    expect(button.getAttribute('aria-disabled')).toBe('true');
    resolve(Response.json({}, { status: 201 }));
    await screen.findByText(/sent to/);
    expect(posted('/api/notifications')).toHaveLength(1);
    expect(button.getAttribute('aria-disabled')).toBe('false');
  });

  test('counts the message and stops at 200 characters', async () => {
    const user = await openForm();
    await user.click(screen.getByLabelText('Message'));
    await user.paste('x'.repeat(250));

    expect(screen.getByText('200 of 200 characters')).toBeDefined();
  });

  test('names what is missing, next to it, and sends nothing', async () => {
    const user = await openForm();
    await user.type(screen.getByLabelText("Colleague's email"), 'ada');
    await user.click(screen.getByRole('button', { name: 'Send notification' }));

    const email = screen.getByRole('textbox', {
      name: "Colleague's email",
      description: /Enter an email address/,
    });
    expect(document.activeElement).toBe(email);
    expect(screen.getByText('Write a message first.')).toBeDefined();
    expect(posted('/api/notifications')).toEqual([]);
  });
});

describe('an error', () => {
  const failure = (code: string, message: string) => ({ code, message });

  test.each([
    ['NOTIFICATION_REFUSED', 400, {}, /Unknown recipient.*Check the email address/],
    ['TOO_MANY_ATTEMPTS', 429, { 'retry-after': '7' }, /too fast.*Try again in 7 seconds/],
    [
      'ACCESS_UNAVAILABLE',
      503,
      { 'retry-after': '1' },
      /renewing this plug-in's access.*in 1 second\./,
    ],
    ['INTERNAL_ERROR', 500, {}, /went wrong.*tell your administrator/],
  ])('%s is put into words, with what to do', async (code, status, headers, words) => {
    routes['/api/notifications'] = [json(status, failure(code, 'Unknown recipient'), headers)];
    await fillAndSend();

    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toMatch(words);
    expect(alert.textContent).toContain(code);
    expect(screen.getByLabelText<HTMLInputElement>('Message').value).toBe('Lunch?');
  });

  test('of the network is put into words', async () => {
    routes['/api/notifications'] = [];
    await fillAndSend();
    expect((await screen.findByRole('alert')).textContent).toMatch(/cannot be reached.*connection/);
  });

  test('is text, never markup', async () => {
    const evil = '<img src=x onerror=alert(1)>';
    routes['/api/notifications'] = [json(400, failure('X', evil))];
    await fillAndSend();
    expect((await screen.findByText(evil)).querySelector('img')).toBeNull();
  });

  test('401 renews the session once with a fresh init JWT and sends again', async () => {
    routes['/api/session'] = [session('session-1'), session('session-2')];
    routes['/api/notifications'] = [json(401, failure('SESSION_INVALID', 'Sign in')), sent];
    connect.mockResolvedValueOnce(connection()).mockResolvedValue(connection({}, 'init.jwt.2'));
    await fillAndSend();

    await screen.findByText(/sent to/);
    expect(connect).toHaveBeenCalledTimes(2);
    expect(posted('/api/notifications').map(bearerOf)).toEqual([
      'Bearer session-1',
      'Bearer session-2',
    ]);
  });

  test('401 after the renewal is final', async () => {
    routes['/api/notifications'] = [json(401, failure('SESSION_INVALID', 'Sign in'))];
    await fillAndSend();

    expect((await screen.findByRole('alert')).textContent).toMatch(/session has ended.*Reload/);
    expect(posted('/api/notifications')).toHaveLength(2);
  });

  test('401 does not send in the name of somebody else', async () => {
    routes['/api/notifications'] = [json(401, failure('SESSION_INVALID', 'Sign in')), sent];
    connect.mockResolvedValueOnce(connection()).mockResolvedValue(connection({ userId: 'u2' }));
    await fillAndSend();

    expect((await screen.findByRole('alert')).textContent).toMatch(/SESSION_USER_CHANGED/);
    expect(posted('/api/notifications')).toHaveLength(1);
  });
});

describe('the start', () => {
  test.each([
    ['ERR_NOT_EMBEDDED', /Open this page inside the platform/],
    ['ERR2', /cannot be trusted/],
    ['ERR4', /clock is wrong/],
    ['ERR6', /did not answer/],
    ['ERR7', /key could not be loaded/],
    ['ERR8', /key is unknown/],
  ] as const)('that fails with %s says so and can be tried again', async (code, words) => {
    connect.mockRejectedValueOnce(new PluginError(code, 'What was seen.'));
    render(<App />);

    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toMatch(words);
    expect(alert.textContent).toContain('What was seen.');
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByRole('heading', { level: 1, name: /Robin Berg/ });
  });

  test('says what the back end said when it opens no session, to a known user', async () => {
    routes['/api/session'] = [json(401, { code: 'SESSION_REFUSED', message: 'Not installed' })];
    render(<App />);

    expect((await screen.findByRole('alert')).textContent).toMatch(/not allowed.*Not installed/);
    expect(screen.getByRole('heading', { name: /Robin Berg/ })).toBeDefined();
  });

  test('fails in words when the configuration is not one', async () => {
    routes['/config.json'] = [json(200, { keyOrigins: 'everything' })];
    render(<App />);
    expect((await screen.findByRole('alert')).textContent).toMatch(/ANSWER_INVALID/);
    expect(connect).not.toHaveBeenCalled();
  });

  test('that is left behind closes its connection', async () => {
    const opened = connection();
    connect.mockResolvedValue(opened);
    const { unmount } = render(<App />);
    await waitFor(() => expect(opened.observeHeight).toHaveBeenCalledOnce());
    unmount();
    expect(opened.close).toHaveBeenCalledOnce();
  });
});
