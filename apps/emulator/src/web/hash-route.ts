/** Three pages, selected by the URL's fragment. */
import { useSyncExternalStore } from 'react';

export const routes = {
  home: '#/',
  plugins: '#/plugins',
  lab: '#/lab',
} as const;

export type RouteName = keyof typeof routes;

export function useRoute(): RouteName {
  return useSyncExternalStore(subscribe, currentRoute);
}

function parseRoute(hash: string): RouteName {
  if (hash.startsWith(routes.plugins)) return 'plugins';
  return hash.startsWith(routes.lab) ? 'lab' : 'home';
}

function currentRoute(): RouteName {
  return parseRoute(window.location.hash);
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}
