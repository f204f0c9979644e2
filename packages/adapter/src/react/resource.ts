/** A value for React's `useSyncExternalStore` that is loaded once, at the first subscription. */
import type { PluginError } from '../plugin-error.ts';

export type Loaded<Value> =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly value: Value }
  | { readonly status: 'failed'; readonly error: PluginError };

export interface Resource<Value> {
  subscribe: (listener: () => void) => () => void;
  getSnapshot: () => Loaded<Value>;
  /** Loads again, in any state. */
  load: () => void;
}

export const loading: Loaded<never> = { status: 'loading' };

export function createResource<Value>(request: () => Promise<Value>): Resource<Value> {
  const listeners = new Set<() => void>();
  let state: Loaded<Value> = loading;
  let latest: Promise<Value> | undefined;

  function load(): void {
    const current = request();
    latest = current;
    function show(next: Loaded<Value>): void {
      if (latest !== current) return;
      state = next;
      for (const listener of listeners) listener();
    }
    show(loading);
    current.then(
      (value) => show({ status: 'ready', value }),
      (error) => show({ status: 'failed', error }),
    );
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (!latest) load();
      return () => listeners.delete(listener);
    },
    getSnapshot: () => state,
    load,
  };
}
