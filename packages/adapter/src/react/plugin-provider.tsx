import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import type { Adapter, Init } from '../create-adapter.ts';
import type { Session } from '../session.ts';
import { createResource, type Resource } from './resource.ts';

export interface Plugin {
  adapter: Adapter;
  init: Resource<Init<unknown>>;
  session: Resource<Session>;
}

const PluginContext = createContext<Plugin | null>(null);

export interface PluginProviderProps {
  /**
   * Whoever created it destroys it; the provider never does. When another one is given, the components
   * change over to it.
   */
  // biome-ignore lint/suspicious/noExplicitAny: an adapter of any configuration
  adapter: Adapter<any, any>;
  children: ReactNode;
}

/**
 * Gives an adapter to the hooks below it. It opens no handshake by itself: the first hook that needs one
 * does. Destroying the adapter stays its creator's task.
 */
export function PluginProvider({ adapter, children }: PluginProviderProps) {
  const [plugin, setPlugin] = useState(() => createPlugin(adapter));
  // React renders again at once, before any component sees the adapter that was given before.
  if (plugin.adapter !== adapter) setPlugin(createPlugin(adapter));
  useEffect(() => adapter.retain(), [adapter]);
  return <PluginContext value={plugin}>{children}</PluginContext>;
}

function createPlugin(adapter: Adapter): Plugin {
  return {
    adapter,
    init: createResource(() => adapter.init()),
    session: createResource(adapter.session),
  };
}

/** @throws TypeError outside of a PluginProvider */
export function usePluginContext(): Plugin {
  const plugin = useContext(PluginContext);
  if (!plugin) throw TypeError('No PluginProvider around this component');
  return plugin;
}
