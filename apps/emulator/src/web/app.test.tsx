import { strictRules } from '@dowel/emulator/authorization-server';
import { defaultForms } from '@dowel/emulator/control-api';
import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { App } from './app.tsx';
import { answerControl, type FakeAnswer, renderPage } from './test-page.tsx';

/** Never connects. */
class EventSourceStub extends EventTarget {
  close() {}
}

const user = {
  userId: 'u1',
  name: 'Priya Nair',
  email: 'priya.nair@acme.example',
  language: 'en',
  jobTitle: 'Product Designer',
};
const tenant = { tenantId: 't1', name: 'Acme GmbH', baseUrl: 'http://localhost:4300/t/acme' };
const tenants = { status: 200, body: { tenants: [{ ...tenant, users: [user] }] } };
const session = { status: 200, body: { user, tenant, colleagues: [user] } };
const signedOut = { status: 401, body: { code: 'UNAUTHENTICATED', message: 'Sign in first' } };
const noPlugins = {
  status: 200,
  body: { installations: [] },
};
const oneNotification = {
  id: 1,
  pluginId: 'p1',
  pluginName: 'Nudge',
  instanceId: 'i1',
  message: 'Please hand in your leave requests',
  excerpt: null,
  category: 'ACTIVITY',
  receivedAt: 1_700_000_000_000,
};

function openPages(answers: Record<string, FakeAnswer>) {
  vi.stubGlobal('EventSource', EventSourceStub);
  localStorage.clear();
  answerControl({
    'GET /control/tenants': tenants,
    'GET /control/session': session,
    'GET /control/plugins': noPlugins,
    'GET /control/exchanges': { status: 200, body: { exchanges: [] } },
    'GET /control/notifications': { status: 200, body: { notifications: [oneNotification] } },
    ...answers,
  });
  renderPage(<App />);
}

describe('the pages', () => {
  it('ask who you are when nobody is signed in', async () => {
    openPages({ 'GET /control/session': { status: 204, body: undefined } });

    expect(await screen.findByRole('button', { name: 'Priya Nair' })).toBeTruthy();
    expect(screen.getByText(/there are no passwords/)).toBeTruthy();
  });

  it('lead to the sign-in when the session ends meanwhile', async () => {
    openPages({ 'GET /control/plugins': signedOut });

    expect(await screen.findByRole('button', { name: 'Priya Nair' })).toBeTruthy();
  });

  it('follow a person who signs out or in in another window', async () => {
    openPages({});
    await screen.findByRole('heading', { name: 'No plug-in is installed' });
    answerControl({
      'GET /control/tenants': tenants,
      'GET /control/session': { status: 204 },
    });

    const otherWindow = new BroadcastChannel('dowel-session');
    otherWindow.postMessage(null);

    expect(await screen.findByText(/there are no passwords/)).toBeTruthy();
    otherWindow.close();
  });

  it('say what to do when no plug-in is installed', async () => {
    openPages({});

    expect(await screen.findByRole('heading', { name: 'No plug-in is installed' })).toBeTruthy();
    const link = screen.getByRole('link', { name: 'Install a plug-in' });
    expect(link.getAttribute('href')).toBe('#/plugins');
  });

  it('count unread notifications until the bell is opened', async () => {
    openPages({});

    await userEvent.click(await screen.findByRole('button', { name: 'Notifications, 1 unread' }));

    expect(await screen.findByText('Please hand in your leave requests')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Notifications' })).toBeTruthy();
  });

  it('say in words that the lab could not be changed', async () => {
    const lab = {
      clockOffsetSeconds: 0,
      ...strictRules,
      forms: defaultForms,
    };
    openPages({
      'GET /control/lab': { status: 200, body: lab },
      'PATCH /control/lab': { status: 500, body: { code: 'INTERNAL', message: 'It broke' } },
    });
    window.location.hash = '#/lab';

    await userEvent.click(await screen.findByRole('button', { name: 'Advance 1 hour' }));

    expect(await screen.findByText('Could not change the lab')).toBeTruthy();
    expect(screen.getByText('It broke (INTERNAL)')).toBeTruthy();
  });
});
