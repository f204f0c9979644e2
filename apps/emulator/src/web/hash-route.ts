/** Three pages and the view of one request, selected by the URL's fragment. */
import { useSyncExternalStore } from 'react';

export const routes = {
  home: '#/',
  plugins: '#/plugins',
  lab: '#/lab',
} as const;

export type RouteName = keyof typeof routes;

export interface Route {
  name: RouteName;
  /** The request that is shown, of the page of the plug-ins. */
  exchangeId: string | null;
}

export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(subscribe, () => window.location.hash));
}

/** The address of the view of a request. */
export function exchangeRoute(id: number): string {
  return `${routes.plugins}/${id}`;
}

function parseRoute(hash: string): Route {
  const exchangeId = /^#\/plugins\/(\d+)$/.exec(hash)?.[1] ?? null;
  if (hash.startsWith(routes.plugins)) return { name: 'plugins', exchangeId };
  return { name: hash.startsWith(routes.lab) ? 'lab' : 'home', exchangeId };
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}
