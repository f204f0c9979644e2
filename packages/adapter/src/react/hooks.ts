/** The adapter as React hooks. On a server, every state is loading. */
import {
  type RefCallback,
  useCallback,
  useEffect,
  useInsertionEffect,
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

/** The state of `init`: `loading`, `ready` with its `value`, or `failed` with the PluginError. */
export const usePlugin = <Config = unknown, Context = unknown>() =>
  useResource(usePluginContext().init) as Loaded<Init<Config, Context>> & Retry;

/** The verified claims; undefined before that. */
export function useClaims<Context = unknown>(): InitClaims<Context> | undefined {
  const plugin = usePlugin<unknown, Context>();
  return plugin.status === 'ready' ? plugin.value.claims : undefined;
}

/**
 * The state of the session with the back end. The first component that uses this hook opens the session. `adapter.fetch`
 * renews it by itself, and the value here stays the first one: use `adapter.fetch` for calls.
 */
export const useSession = (): Loaded<Session> & Retry => useResource(usePluginContext().session);

/** The adapter itself, for `fetch` and its other methods. */
export const useAdapter = <Config = unknown, Context = unknown>() =>
  usePluginContext().adapter as Adapter<Config, Context>;

/** A ref for the element whose height the frame follows. */
export function useAutoHeight(): RefCallback<Element> {
  const adapter = useAdapter();
  const stop = useRef<() => void>(undefined);
  return useCallback(
    (element) => {
      // React 18 ignores a returned function. Both call it with null.
      stop.current?.();
      stop.current = element ? observeHeight(adapter, element) : undefined;
    },
    [adapter],
  );
}

/** Answers the platform's save button with the newest handler. */
export function useSave<Config = unknown, Context = unknown>(
  handler: SaveHandler<Config, Context>,
): void {
  const adapter = useAdapter<Config, Context>();
  const newest = useRef(handler);
  // Before the user can press the button of the new view. React 18 warns of a layout effect on a server.
  useInsertionEffect(() => {
    newest.current = handler;
  });
  useEffect(() => adapter.onSave((...request) => newest.current(...request)), [adapter]);
}
