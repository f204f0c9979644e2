import { readFile } from 'node:fs/promises';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { StrictMode, useState } from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Adapter } from '../create-adapter.ts';
import { createFakeHost, type FakeHost, type FakeHostOptions } from '../fake-host/index.ts';
import { createAdapterFor, nextTask } from '../testing/test-host.ts';
import {
  PluginProvider,
  useAdapter,
  useAutoHeight,
  useClaims,
  usePlugin,
  useSave,
  useSession,
} from './index.ts';

let host: FakeHost | undefined;
let adapter: Adapter;

beforeEach(() => {
  vi.stubGlobal('fetch', async () => Response.json({ sessionToken: 's1', expiresAt: 0 }));
});

afterEach(() => {
  cleanup();
  host?.close();
  host = undefined;
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function embed(options: FakeHostOptions = {}): Promise<FakeHost> {
  host = await createFakeHost(options);
  adapter = createAdapterFor(host);
  return host;
}

function Page() {
  const plugin = usePlugin();
  const name = useClaims()?.ctx.userName;
  return (
    <>
      <p>{plugin.status}</p>
      <p>{name ?? 'nobody'}</p>
      {plugin.status === 'failed' && <p>{plugin.error.code}</p>}
      <button type="button" onClick={plugin.retry}>
        Again
      </button>
    </>
  );
}

function Asking() {
  return <p>{useSession().status}</p>;
}

function Form() {
  const [colour, setColour] = useState('red');
  useSave(() => ({ colour }));
  return (
    <button type="button" onClick={() => setColour('blue')}>
      {usePlugin().status}
    </button>
  );
}

function High() {
  return <div id="page" ref={useAutoHeight()} />;
}

const used: Adapter[] = [];

function Configured() {
  used.push(useAdapter());
  const plugin = usePlugin<{ of?: string }>();
  return (
    <p>{plugin.status === 'ready' ? (plugin.value.config?.of ?? 'nothing') : plugin.status}</p>
  );
}

function Lost() {
  return <p>{useAdapter().srcId}</p>;
}

const inProvider = (children: React.ReactNode) => (
  <StrictMode>
    <PluginProvider adapter={adapter}>{children}</PluginProvider>
  </StrictMode>
);

test('a tree in jsdom stays mounted, although it has no ResizeObserver', async () => {
  vi.stubGlobal('ResizeObserver', undefined);
  await embed();
  render(inProvider([<Page key="page" />, <High key="high" />]));
  expect(await screen.findByText('ready')).toBeDefined();
});

test('a component is loading, then ready with the verified claims, after one handshake', async () => {
  const { messages } = await embed();

  render(inProvider([<Page key="a" />, <Page key="b" />]));

  expect(screen.getAllByText('loading')).toHaveLength(2);
  expect(screen.getAllByText('nobody')).toHaveLength(2);
  expect(await screen.findAllByText('Robin Berg')).toHaveLength(2);
  expect(screen.getAllByText('ready')).toHaveLength(2);
  expect(messages.filter(({ message }) => message.sub === 'init')).toHaveLength(1);
});

test('a failed component shows the reason and can try again', async () => {
  await embed({ answers: 'forged' });
  render(inProvider(<Page />));
  await screen.findByText('ERR2');

  act(() => screen.getByRole('button').click());

  expect(screen.getByText('loading')).toBeDefined();
  await screen.findByText('ERR2');
});

test('on a server everything is loading, without a request', async () => {
  const { messages } = await embed();

  const errors = vi.spyOn(console, 'error');

  const html = renderToString(inProvider([<Page key="page" />, <Form key="form" />]));

  expect(html).toContain('<p>loading</p><p>nobody</p>');
  expect(messages).toEqual([]);
  expect(errors).not.toHaveBeenCalled();
});

test('a session is opened once, by the first component that uses it', async () => {
  const fetched = vi.fn(async () => Response.json({ sessionToken: 's1', expiresAt: 0 }));
  vi.stubGlobal('fetch', fetched);
  await embed();

  render(inProvider([<Asking key="a" />, <Asking key="b" />]));

  expect(await screen.findAllByText('ready')).toHaveLength(2);
  expect(fetched).toHaveBeenCalledOnce();
});

test('the newest handler answers the save button, until it is unmounted', async () => {
  const { save } = await embed({ view: 'config' });
  const { rerender } = render(inProvider(<Form />));
  await screen.findByText('ready');
  act(() => screen.getByRole('button').click());

  expect(await save()).toEqual({ colour: 'blue' });

  rerender(inProvider(null));
  const unanswered = vi.fn();
  save().then(unanswered, () => {});
  await act(() => adapter.getToken());
  expect(unanswered).not.toHaveBeenCalled();
});

test('the frame is as high as the element with the ref, while it is mounted', async () => {
  await embed();
  const observed = vi.fn();
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = (element: Element) => observed('on', element.id);
      disconnect = () => observed('off');
    },
  );
  const errors = vi.spyOn(console, 'error');
  const { rerender } = render(
    <PluginProvider adapter={adapter}>
      <High />
    </PluginProvider>,
  );
  rerender(<PluginProvider adapter={adapter}>{null}</PluginProvider>);

  expect(observed.mock.calls).toEqual([['on', 'page'], ['off']]);
  expect(errors).not.toHaveBeenCalled();
});

test('only its creator ends the adapter, not a double mount or a second provider', async () => {
  await embed();
  for (let round = 0; round < 2; round += 1) {
    const { unmount } = render(inProvider(<Page />));
    await screen.findByText('ready');
    unmount();
    await act(() => nextTask());
  }
  await expect(adapter.getToken({ minValidityMs: Infinity })).resolves.toMatch(/^eyJ/);

  adapter.destroy();

  await waitFor(() => expect(adapter.init()).rejects.toMatchObject({ code: 'ERR_DESTROYED' }));
});

test('an adapter that its creator ends while it is shown works until the provider is unmounted', async () => {
  await embed();
  const { unmount } = render(inProvider(<Page />));
  await screen.findByText('ready');
  adapter.destroy();
  await act(() => nextTask());
  await expect(adapter.getToken()).resolves.toMatch(/^eyJ/);

  unmount();

  await waitFor(() => expect(adapter.init()).rejects.toMatchObject({ code: 'ERR_DESTROYED' }));
});

describe('a provider that gets another adapter', () => {
  test('uses it, and does not end the previous one', async () => {
    await embed({ config: { of: 'both' } });
    const before = adapter;
    const { rerender } = render(inProvider(<Configured />));
    await screen.findByText('both');
    const parseConfig = () => ({ of: 'the other' });
    adapter = createAdapterFor<unknown>(host as FakeHost, { parseConfig });

    rerender(inProvider(<Configured />));

    expect(screen.getByText('loading')).toBeDefined();
    expect(await screen.findByText('the other')).toBeDefined();
    expect(used.at(-1)).toBe(adapter);
    await act(() => nextTask());
    await expect(before.getToken({ minValidityMs: Infinity })).resolves.toMatch(/^eyJ/);
    before.destroy();
  });

  test('never shows a component the previous one again', async () => {
    await embed();
    const { rerender } = render(inProvider(<Configured />));
    await screen.findByText('nothing');
    adapter = createAdapterFor(host as FakeHost);
    used.length = 0;
    rerender(inProvider(<Configured />));
    await screen.findByText('nothing');
    expect(new Set(used)).toEqual(new Set([adapter]));
  });

  test('uses it for the save button and the height', async () => {
    const { save } = await embed({ view: 'config' });
    const { rerender } = render(inProvider([<Form key="form" />, <High key="high" />]));
    await screen.findByText('ready');
    const before = adapter;
    adapter = createAdapterFor(host as FakeHost);
    const answering = vi.spyOn(adapter, 'onSave');
    const measuring = vi.spyOn(adapter, 'setHeight');

    rerender(inProvider([<Form key="form" />, <High key="high" />]));
    await screen.findByText('ready');
    before.destroy();
    await act(() => nextTask());

    expect(await save()).toEqual({ colour: 'red' });
    expect(answering).toHaveBeenCalled();
    await waitFor(() => expect(measuring).toHaveBeenCalled());
  });
});

test('a server component may render the provider, because the entry is for clients', async () => {
  const source = await readFile(`${import.meta.dirname}/index.ts`, 'utf8');
  expect(source).toMatch(/^'use client';\n/);
});

test('a hook outside of a provider throws an explanation', () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});

  expect(() => render(<Lost />)).toThrow(new TypeError('No PluginProvider around this component'));
});
