/** The adapter for components. On a server, everything is loading. */
import {
  type RefCallback,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from 'react';
import type { InitClaims } from '../claims.ts';
import type { Adapter, Init } from '../create-adapter.ts';
import { observeHeight } from '../observe-height.ts';
import type { SaveHandler } from '../save.ts';
import type { Session } from '../session.ts';
import { usePluginContext } from './plugin-provider.tsx';
import { type Loaded, loading, type Resource } from './resource.ts';

export type Retry = { readonly retry: () => void };

function useResource<Value>({ subscribe, getSnapshot, load }: Resource<Value>) {
  const state = useSyncExternalStore(subscribe, getSnapshot, () => loading);
  return { ...state, retry: load };
}

/** What `init` came to: `loading`, `ready` with its `value`, or `failed` with the PluginError. */
export const usePlugin = <Config = unknown, Context = unknown>() =>
  useResource(usePluginContext().init) as Loaded<Init<Config, Context>> & Retry;

/** The verified claims; undefined until they are. */
export function useClaims<Context = unknown>(): InitClaims<Context> | undefined {
  const plugin = usePlugin<unknown, Context>();
  return plugin.status === 'ready' ? plugin.value.claims : undefined;
}

/** What opening a session with the back end came to. The first component to ask for it opens it. */
export const useSession = (): Loaded<Session> & Retry => useResource(usePluginContext().session);

/** The adapter itself, for `fetch` and the rest. */
export const useAdapter = <Config = unknown, Context = unknown>() =>
  usePluginContext().adapter as Adapter<Config, Context>;

/** A ref for the element that the frame is to be as high as. */
export function useAutoHeight(): RefCallback<Element> {
  const adapter = useAdapter();
  return useCallback(
    (element) => (element ? observeHeight(adapter, element) : undefined),
    [adapter],
  );
}

/** Answers the platform's save button with the newest handler. */
export function useSave<Config = unknown, Context = unknown>(
  handler: SaveHandler<Config, Context>,
): void {
  const adapter = useAdapter<Config, Context>();
  const newest = useRef(handler);
  useLayoutEffect(() => {
    newest.current = handler; // Before anybody can press the button of what is shown.
  });
  useEffect(() => adapter.onSave((...request) => newest.current(...request)), [adapter]);
}
