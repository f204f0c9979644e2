/** The adapter for React 19. */
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
