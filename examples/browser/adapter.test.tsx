import {
  connect,
  createAdapter,
  nonceFrom,
  observeHeight,
  PluginError,
  renderError,
  trustIssuers,
} from '@dowel/adapter';
import { createClient, type OperationTypes } from '@dowel/adapter/client';
import { JwkStore, PluginAdapter } from '@dowel/adapter/compat';
import { PluginProvider, useAutoHeight, useClaims, usePlugin } from '@dowel/adapter/react';
import { createFakeHost, createSigningKey, type FakeHost } from '@dowel/adapter/testing';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';

const signingKey = await createSigningKey();
const { keyDocument } = signingKey;
const jkuOrigins = ['https://keys.example.com'];
let host: FakeHost;

beforeEach(async () => {
  const issuer = 'https://acme.example.com';
  await open({ issuer });
});

afterEach(() => {
  cleanup();
  host.close();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
  document.body.removeAttribute('role');
  document.title = '';
  history.replaceState(null, '', '/');
});

async function open(options: Parameters<typeof createFakeHost>[0]): Promise<void> {
  host?.close();
  host = await createFakeHost({ signingKey, ...options });
  history.replaceState(null, '', host.url('/'));
}

/** The host publishes its key where the examples look for it. */
const publishKey = (options: Parameters<typeof createFakeHost>[0] = {}) =>
  open({ issuer: 'https://example.com', keyDelivery: 'jku', ...options });

test('a page greets the verified user, or shows why it cannot', async () => {
  await publishKey();

  async function start(): Promise<{ destroy: () => void }> {
    const adapter = createAdapter({ jkuOrigins: ['https://keys.example.com'] });
    try {
      const { claims } = await adapter.init();
      document.title = `Hello, ${claims.ctx.userName}`;
      observeHeight(adapter);
    } catch (error) {
      renderError(document.body, error); // text only
    }
    return adapter;
  }

  (await start()).destroy();
  expect(document.title).toBe('Hello, Robin Berg');
  await publishKey({ answers: 'forged' });
  (await start()).destroy();
  expect(document.body.textContent).toContain('(ERR2)');
});

test('a page below a base path calls its back end there', async () => {
  const paths: string[] = [];
  vi.stubGlobal('fetch', async (url: string | URL) => {
    paths.push(new URL(url, location.href).pathname);
    const isSession = String(url).endsWith('/api/session');
    return Response.json(isSession ? { sessionToken: 'session-1', expiresAt: 0 } : { votes: 1 });
  });
  await publishKey();
  const keyOrigins = jkuOrigins;
  const operations = { vote: {} as OperationTypes<{ choice: string }, { votes: number }, never> };

  const adapter = createAdapter({ sessionUrl: '/polls/api/session', jkuOrigins: keyOrigins });
  const client = createClient<typeof operations>(adapter, '/polls/api/');

  expect(await client.vote({ choice: 'soup' })).toEqual({ votes: 1 });
  expect(paths.slice(-2)).toEqual(['/polls/api/session', '/polls/api/vote']);
  adapter.destroy();
});

test('a page calls its back end with a session', async () => {
  const bearers: (string | null)[] = [];
  vi.stubGlobal('fetch', async (url: string | URL, init?: RequestInit) => {
    bearers.push(new Headers(init?.headers).get('authorization'));
    const isSession = String(url).endsWith('/api/session');
    return Response.json(isSession ? { sessionToken: 'session-1', expiresAt: 0 } : {});
  });
  await publishKey();
  const body = JSON.stringify({ recipientEmail: 'ada@example.com', message: 'Lunch?' });

  const adapter = createAdapter({ jkuOrigins: ['https://keys.example.com'] }); // whose keys are trusted
  const { claims } = await adapter.init(); // verified claims; otherwise a PluginError that says why
  observeHeight(adapter);

  await adapter.fetch('/api/createNotification', { method: 'POST', body }); // uses a session with your back end

  expect(claims.ctx.userName).toBe('Robin Berg');
  expect(bearers).toEqual([null, 'Bearer session-1']);
  adapter.destroy();
});

test('a page asks its back end for the nonce of its handshake', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ nonce: 'theirs', expiresInMs: 120_000 }));
  await publishKey();

  const adapter = createAdapter({ jkuOrigins, nonce: nonceFrom('/api/session/nonce') });

  expect((await adapter.init()).claims.jti).toBe('theirs');
  adapter.destroy();
});

test('a page calls operations of its back end by name', async () => {
  let isClosed = false;
  vi.stubGlobal('fetch', async (url: string | URL) => {
    if (String(url).endsWith('/api/session')) {
      return Response.json({ sessionToken: 'session-1', expiresAt: 0 });
    }
    return isClosed
      ? Response.json({ code: 'POLL_CLOSED', message: 'Too late' }, { status: 409 })
      : Response.json({ votes: 3 });
  });
  await publishKey();
  const operations = {
    vote: {} as OperationTypes<{ choice: string }, { votes: number }, 'POLL_CLOSED'>,
  };
  const { signal } = new AbortController();
  const showResults = vi.fn();
  const adapter = createAdapter({ jkuOrigins });

  const client = createClient<typeof operations>(adapter);
  const { votes } = await client.vote({ choice: 'soup' });

  isClosed = true;
  const result = await client.vote.safe({ choice: 'soup' }, { signal });
  if (!result.ok && result.error.code === 'POLL_CLOSED') showResults();

  expect(votes).toBe(3);
  expect(showResults).toHaveBeenCalledOnce();
  adapter.destroy();
});

test('the config view answers the save button of the platform', async () => {
  await publishKey({ view: 'config', config: { title: 'Old' } });
  let title = '';

  z.config({ jitless: true }); // before the first schema: zod tries eval, which the page's CSP forbids and reports
  const settingsSchema = z.object({ title: z.string() });
  const adapter = createAdapter({ view: 'config', jkuOrigins, parseConfig: settingsSchema.parse });
  const { config } = await adapter.init(); // undefined if the stored one cannot be read
  adapter.onSave(() => {
    if (title === '') throw new Error('Enter a title'); // refuses; show it in your page as well
    return { title };
  });

  expect(config).toEqual({ title: 'Old' });
  expect(await host.save()).toBe(false);
  title = 'New';
  expect(await host.save()).toEqual({ title: 'New' });
  adapter.destroy();
});

test('a plug-in types the context that its manifest requests', async () => {
  await publishKey({ claims: { 'ctx.userDepartment': 'People' }, config: { title: 'Hi' } });
  const parseConfig = z.object({ title: z.string() }).parse;
  type Settings = ReturnType<typeof parseConfig>;

  const adapter = createAdapter<Settings, { userDepartment?: string }>({ jkuOrigins, parseConfig });

  const { claims, config } = await adapter.init();
  expect([claims.ctx.userDepartment, config.title]).toEqual(['People', 'Hi']);
  adapter.destroy();
});

test('React components get the adapter from the provider', async () => {
  await publishKey();
  const adapter = createAdapter({ jkuOrigins });

  function Widget() {
    const plugin = usePlugin(); // loading, ready with its value, or failed with the error; and retry
    const claims = useClaims();
    return <main ref={useAutoHeight()}>{plugin.status === 'ready' && claims?.ctx.userName}</main>;
  }

  const page = (
    <PluginProvider adapter={adapter}>
      <Widget />
    </PluginProvider>
  );

  render(page);
  await screen.findByText('Robin Berg');
  adapter.destroy();
});

test('the drop-in has the classes of its predecessor', async () => {
  JwkStore.getInstance().addHost('https://keys.example.com');
  const issuers = trustIssuers(host.issuers);

  const pluginAdapter = new PluginAdapter(host.srcId, { issuers });
  const { claims } = await pluginAdapter.init();

  expect(claims).toMatchObject({ ctx: { userName: 'Robin Berg' } });
});

test('the example of createAdapter runs', async () => {
  await publishKey();

  const adapter = createAdapter({ jkuOrigins: ['https://keys.example.com'] });
  const { claims, config } = await adapter.init();

  expect([claims.ctx.userName, config]).toEqual(['Robin Berg', {}]);
  adapter.destroy();
});

test('the example of connect runs', async () => {
  await publishKey();

  const { claims, initJwt } = await connect({ jkuOrigins: ['https://keys.example.com'] });

  expect([claims.ctx.userName, initJwt.split('.').length]).toEqual(['Robin Berg', 3]);
});

test('a page that only asks who the user is needs connect alone', async () => {
  await publishKey();

  const { claims, initJwt } = await connect({ jkuOrigins }); // 3 KB

  expect([claims.ctx.userName, initJwt.split('.').length]).toEqual(['Robin Berg', 3]);
});

test('the example of trustIssuers runs', async () => {
  const issuers = trustIssuers([
    { issuer: 'https://acme.example.com', keys: [keyDocument] },
    { issuer: /https:\/\/\w+\.example\.com/ },
  ]);
  const adapter = createAdapter({ issuers, jkuOrigins: ['https://keys.example.com'] });

  await expect(adapter.init()).resolves.toMatchObject({ hostOrigin: 'https://acme.example.com' });
  adapter.destroy();
});

test('the example of observeHeight runs', async () => {
  const issuers = trustIssuers(host.issuers);
  const adapter = createAdapter({ issuers });
  await adapter.init();
  const main = document.body.appendChild(document.createElement('main'));
  main.getBoundingClientRect = () => ({ bottom: 70 }) as DOMRect;

  const stop = observeHeight(adapter, document.querySelector('main'));

  await expect.poll(() => host.heights).toEqual([70]);
  stop();
  adapter.destroy();
});

test('the example of renderError runs', async () => {
  const error = await connect({ srcId: 'unknown', timeoutMs: 1 }).catch(
    (reason: unknown) => reason,
  );

  renderError(document.body, error);

  expect(document.body.textContent).toContain(error instanceof PluginError ? error.code : 'none');
});
