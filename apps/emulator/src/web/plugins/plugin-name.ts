import type { Plugins } from '@dowel/emulator/control-api';

/** The name of an installed plug-in; of a removed one the start of its id. */
export function pluginName(plugins: Plugins, pluginId: string | null): string {
  if (pluginId === null) return 'unknown client';
  const installation = plugins.installations.find((candidate) => candidate.pluginId === pluginId);
  return installation?.name ?? `removed (${pluginId.slice(0, 8)})`;
}
