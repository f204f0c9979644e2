import type { Plugins } from '@dowel/emulator/control-api';
import type { TFunction } from 'i18next';

/** The name of an installed plug-in; of a removed one the start of its id. */
export function pluginName(t: TFunction, plugins: Plugins, pluginId: string | null): string {
  if (pluginId === null) return t('plugins.unknownClient');
  const installation = plugins.installations.find((candidate) => candidate.pluginId === pluginId);
  return installation?.name ?? t('plugins.removed', { id: pluginId.slice(0, 8) });
}
