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
   * The adapter. Its creator destroys it; the provider never does. If the prop changes, the components use
   * the new adapter.
   */
  // biome-ignore lint/suspicious/noExplicitAny: an adapter of any configuration
  adapter: Adapter<any, any>;
  children: ReactNode;
}

/**
 * Provides an adapter to the hooks below it. The first hook that needs a handshake starts it; the provider
 * does not. The adapter's creator destroys it.
 */
export function PluginProvider({ adapter, children }: PluginProviderProps) {
  const [plugin, setPlugin] = useState(() => createPlugin(adapter));
  // React renders again at once, before a component sees the previous adapter.
  if (plugin.adapter !== adapter) setPlugin(createPlugin(adapter));
  useEffect(() => adapter.retain(), [adapter]);
  return <PluginContext.Provider value={plugin}>{children}</PluginContext.Provider>;
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
