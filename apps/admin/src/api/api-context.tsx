import { createContext, type ReactNode, use } from 'react';
import type { ApiClient } from './api-client.ts';

const ApiContext = createContext<ApiClient | undefined>(undefined);

export function ApiProvider({ api, children }: { api: ApiClient; children: ReactNode }) {
  return <ApiContext value={api}>{children}</ApiContext>;
}

/** @throws TypeError outside of an ApiProvider. */
export function useApi(): ApiClient {
  const api = use(ApiContext);
  if (!api) throw new TypeError('useApi needs an ApiProvider');
  return api;
}
