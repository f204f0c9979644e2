'use client';

/** The adapter for React 18 and 19. Server components may render the provider: the directive is for them. */
export {
  type Retry,
  useAdapter,
  useAutoHeight,
  useClaims,
  usePlugin,
  useSave,
  useSession,
} from './hooks.ts';
export { PluginProvider, type PluginProviderProps } from './plugin-provider.tsx';
export type { Loaded } from './resource.ts';
