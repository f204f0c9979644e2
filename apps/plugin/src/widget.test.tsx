import type { FakeHost } from '@dowel/adapter/testing';
import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type BackEnd,
  bearerOf,
  bodyOf,
  fillAndSend,
  json,
  openForm,
  openPage,
  sent,
  session,
  startBackEnd,
} from './testing.tsx';

let backEnd: BackEnd;
let host: FakeHost | undefined;

beforeEach(() => {
  backEnd = startBackEnd();
});

afterEach(() => {
  cleanup();
  host?.close();
  host = undefined;
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('the page', () => {
  test('greets the verified user and trusts only the keys that its own back end names', async () => {
    ({ host } = await openForm({ user: { userEmail: 'robin@example.com' } }));

    expect(screen.getByRole('heading', { level: 1, name: /Robin Berg/ })).toBeDefined();
    expect(screen.getByText('robin@example.com')).toBeDefined();
    expect(bodyOf(backEnd.asked('/api/session')[0])).toEqual({
      initJwt: expect.stringMatching(/^eyJ/),
      instanceId: 'instance-1',
    });
  });

  test('opens one session, although components mount twice in development', async () => {
    ({ host } = await openForm());

    expect(backEnd.asked('/api/session')).toHaveLength(1);
    expect(host.messages.filter(({ message }) => message.sub === 'init')).toHaveLength(1);
    expect(backEnd.asked('/api/session/nonce')).toHaveLength(1);
  });

  test('sends with the session as bearer, without cookies, and confirms it', async () => {
    ({ host } = await fillAndSend());

    const status = await screen.findByText(/sent to ada@example.com/);
    expect(status.getAttribute('role')).toBe('status');
    const [request] = backEnd.asked('/api/createNotification');
    expect(bearerOf(request)).toBe('Bearer session-1');
    expect(request?.credentials).toBe('omit');
    expect(bodyOf(request)).toEqual({ recipientEmail: 'ada@example.com', message: 'Lunch?' });
  });

  test('speaks German to a user who does', async () => {
    const opened = await openForm({ user: { userLanguage: 'de-CH' } });
    ({ host } = opened);
    await opened.user.type(screen.getByLabelText('E-Mail-Adresse der Person'), 'ada@example.com');
    await opened.user.type(screen.getByLabelText('Nachricht'), 'Essen?');
    await opened.user.click(screen.getByRole('button', { name: 'Benachrichtigung senden' }));

    await screen.findByText('Benachrichtigung an ada@example.com gesendet.');
    expect(document.documentElement.lang).toBe('de');
    expect(document.title).toBe('Anstupser');
    expect(screen.getByRole('main', { name: 'Anstupser' })).toBeDefined();
  });

  test('speaks the browser’s language if the platform does not name the user’s', async () => {
    vi.spyOn(navigator, 'language', 'get').mockReturnValue('de-DE');
    ({ host } = await openForm({ user: { userLanguage: undefined } }));

    expect(screen.getByRole('button', { name: 'Benachrichtigung senden' })).toBeDefined();
  });

  test('shows what its administrator configured', async () => {
    const config = { intro: 'Cheer somebody up!', recipientEmail: 'ada@example.com' };
    ({ host } = await openForm({ config }));

    expect(screen.getByText('Cheer somebody up!')).toBeDefined();
    const email = screen.getByLabelText<HTMLInputElement>("Colleague's email");
    expect(email.value).toBe('ada@example.com');
  });
});

describe('the form', () => {
  test('sends once for a double click', async () => {
    const { user, ...opened } = await openForm();
    ({ host } = opened);
    await user.type(screen.getByLabelText("Colleague's email"), 'ada@example.com');
    await user.type(screen.getByLabelText('Message'), 'Lunch?');
    await user.dblClick(screen.getByRole('button', { name: 'Send notification' }));

    await screen.findByText(/sent to/);
    expect(backEnd.asked('/api/createNotification')).toHaveLength(1);
    expect(screen.queryByText('Write a message first.')).toBeNull();
  });

  test('is disabled while it sends', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    backEnd.routes['/api/createNotification'] = [() => promise];
    const { user, ...opened } = await fillAndSend();
    ({ host } = opened);
    const button = screen.getByRole('button', { name: 'Send notification' });
    await user.click(button);
    await user.type(screen.getByLabelText('Message'), 'more{Enter}');

    expect(button.getAttribute('aria-disabled')).toBe('true');
    resolve(Response.json({}));
    await screen.findByText(/sent to/);
    expect(backEnd.asked('/api/createNotification')).toHaveLength(1);
    expect(button.getAttribute('aria-disabled')).toBe('false');
  });

  test('counts the message and stops at 200 characters', async () => {
    const { user, ...opened } = await openForm();
    ({ host } = opened);
    await user.click(screen.getByLabelText('Message'));
    await user.paste('x'.repeat(250));

    expect(screen.getByText('200 of 200 characters')).toBeDefined();
  });

  test('names what is missing, next to it, and sends nothing', async () => {
    const { user, ...opened } = await openForm();
    ({ host } = opened);
    await user.type(screen.getByLabelText("Colleague's email"), 'ada');
    await user.click(screen.getByRole('button', { name: 'Send notification' }));

    const email = screen.getByRole('textbox', {
      name: "Colleague's email",
      description: /Enter an email address/,
    });
    expect(document.activeElement).toBe(email);
    expect(screen.getByText('Write a message first.')).toBeDefined();
    expect(backEnd.asked('/api/createNotification')).toEqual([]);
  });
});

describe('an error', () => {
  const failure = (code: string, message: string) => ({ code, message });

  test.each([
    ['NOTIFICATION_REFUSED', 400, {}, /Unknown recipient.*Check the email address/],
    ['RATE_LIMITED', 429, { retryAfterMs: 7_000 }, /too fast.*Try again in 7 seconds/],
    [
      'ACCESS_UNAVAILABLE',
      503,
      { retryAfterMs: 500 },
      /renewing this plug-in's access.*in 1 second\./,
    ],
    ['PLATFORM_BUSY', 503, { retryAfterMs: 9_000 }, /went wrong.*Try again in 9 seconds/],
    ['INTERNAL_ERROR', 500, {}, /went wrong.*tell your administrator/],
  ])('%s is put into words, with what to do', async (code, status, more, words) => {
    const answer = json(status, { ...failure(code, 'Unknown recipient'), ...more });
    backEnd.routes['/api/createNotification'] = [answer];
    ({ host } = await fillAndSend());

    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toMatch(words);
    expect(alert.textContent).toContain(code);
    expect(screen.getByLabelText<HTMLInputElement>('Message').value).toBe('Lunch?');
  });

  test('of the network is put into words', async () => {
    backEnd.routes['/api/createNotification'] = [];
    ({ host } = await fillAndSend());
    expect((await screen.findByRole('alert')).textContent).toMatch(/cannot be reached.*connection/);
  });

  test('is text, never markup', async () => {
    const evil = '<img src=x onerror=alert(1)>';
    backEnd.routes['/api/createNotification'] = [json(400, failure('X', evil))];
    ({ host } = await fillAndSend());
    expect((await screen.findByText(evil)).querySelector('img')).toBeNull();
  });

  test('401 renews the session once with a fresh init JWT and sends again', async () => {
    backEnd.routes['/api/session'] = [session('session-1'), session('session-2')];
    const refused = json(401, failure('SESSION_INVALID', 'Sign in'));
    backEnd.routes['/api/createNotification'] = [refused, sent];
    ({ host } = await fillAndSend());

    await screen.findByText(/sent to/);
    expect(backEnd.asked('/api/createNotification').map(bearerOf)).toEqual([
      'Bearer session-1',
      'Bearer session-2',
    ]);
    const [first, second] = backEnd.asked('/api/session').map(bodyOf);
    expect(first).not.toEqual(second);
  });

  test('401 after the renewal is final', async () => {
    backEnd.routes['/api/createNotification'] = [json(401, failure('SESSION_INVALID', 'Sign in'))];
    ({ host } = await fillAndSend());

    expect((await screen.findByRole('alert')).textContent).toMatch(/session has ended.*Reload/);
    expect(backEnd.asked('/api/createNotification')).toHaveLength(2);
  });

  test('401 does not send in the name of another user', async () => {
    backEnd.routes['/api/createNotification'] = [
      json(401, failure('SESSION_INVALID', 'Sign in')),
      sent,
    ];
    const { user, ...opened } = await openForm();
    ({ host } = opened);
    host.setUser({ userId: 'user-2' });
    await user.type(screen.getByLabelText("Colleague's email"), 'ada@example.com');
    await user.type(screen.getByLabelText('Message'), 'Lunch?');
    await user.click(screen.getByRole('button', { name: 'Send notification' }));

    expect((await screen.findByRole('alert')).textContent).toMatch(/SESSION_USER_CHANGED/);
    expect(backEnd.asked('/api/createNotification')).toHaveLength(1);
  });
});

describe('the start', () => {
  test('that meets a forger reports it', async () => {
    host = await openPage({ answers: 'forged' });

    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toMatch(/cannot be trusted/);
    expect(alert.textContent).toContain('ERR2');
  });

  test('that the back end refuses shows its message to a known user, and can be tried again', async () => {
    const refused = json(401, { code: 'SESSION_REFUSED', message: 'Not installed' });
    backEnd.routes['/api/session'] = [refused, session('session-1')];
    host = await openPage();

    expect((await screen.findByRole('alert')).textContent).toMatch(/not allowed.*Not installed/);
    expect(screen.getByRole('heading', { name: /Robin Berg/ })).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByRole('button', { name: 'Send notification' });
  });

  test('fails in words when the settings cannot be read', async () => {
    host = await openPage({ config: { intro: 7 } });
    expect((await screen.findByRole('alert')).textContent).toMatch(/settings.*ERR_CONFIG/);
  });

  test('fails in words when the configuration is not one, and can be tried again', async () => {
    const good = backEnd.routes['/config.json'] ?? [];
    backEnd.routes['/config.json'] = [json(200, { keyOrigins: 'everything' })];
    host = await openPage();
    expect((await screen.findByRole('alert')).textContent).toMatch(/ANSWER_INVALID/);
    expect(host.messages).toEqual([]);

    backEnd.routes['/config.json'] = good;
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByRole('button', { name: 'Send notification' });
  });
});
