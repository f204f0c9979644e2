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
  /** Created outside of any component. It is destroyed after the provider has gone. */
  // biome-ignore lint/suspicious/noExplicitAny: an adapter of any configuration
  adapter: Adapter<any>;
  children: ReactNode;
}

export function PluginProvider({ adapter, children }: PluginProviderProps) {
  const [plugin] = useState<Plugin>(() => ({
    adapter,
    init: createResource(() => adapter.init()),
    session: createResource(adapter.session),
  }));
  useEffect(() => adapter.retain(), [adapter]);
  return <PluginContext value={plugin}>{children}</PluginContext>;
}

/** @throws TypeError outside of a PluginProvider */
export function usePluginContext(): Plugin {
  const plugin = useContext(PluginContext);
  if (!plugin) throw TypeError('No PluginProvider around this component');
  return plugin;
}
