/**
 * Decides which plug-ins are ours, and logs the ids that platforms name. One platform key signs the events of all
 * plug-ins, so an event for another plug-in has a valid signature. The list is never filled automatically: an id may
 * differ from tenant to tenant, so the first one is no better than the second. A refusal does not count against its
 * sender, because that is a platform that we trust.
 */
import type { InstallationKey } from '@dowel/installation-store';
import type { Log } from '../log/log.ts';

/** Ids in memory, each logged once. Only holders of a trusted key can add one. */
const maxSeen = 1_000;

/** Length of a UUID. */
const maxIdLength = 36;

/** The tenant that named a plug-in id. */
export type NamedBy = Pick<InstallationKey, 'issuer' | 'tenantId'>;

export type OwnPlugins = ReturnType<typeof createOwnPlugins>;

/** @param pluginIds lower-case UUIDs. An empty list accepts every plug-in. */
export function createOwnPlugins(pluginIds: readonly string[], logger: Log) {
  const own = new Set(pluginIds);
  const seen = new Set<string>();

  /** Whether an installation of this plug-in is ours to serve. */
  function has(pluginId: string): boolean {
    return own.size === 0 || own.has(pluginId);
  }

  function logOnce(pluginId: string, namedBy: NamedBy): void {
    if (seen.has(pluginId) || seen.size >= maxSeen) return;
    seen.add(pluginId);
    if (has(pluginId)) logger.info({ pluginId, ...namedBy }, 'plugin.seen');
    else logger.warn({ pluginId, ...namedBy }, 'plugin.not_ours');
    if (seen.size === maxSeen) logger.warn({ maxSeen }, 'plugin.seen.limit');
  }

  return {
    has,

    /** Whether a verified JWT names a plug-in of ours. Logs the id, so call it only after verification. */
    admits(pluginId: string, namedBy: NamedBy): boolean {
      logOnce(pluginId, namedBy);
      return has(pluginId);
    },

    /** Like `admits`, for an init JWT: the platform may omit the plug-in or use another form. */
    admitsInit(pluginId: unknown, namedBy: NamedBy): boolean {
      if (pluginId === undefined || own.size === 0) return true;
      if (typeof pluginId !== 'string' || pluginId.length > maxIdLength) return false;
      return this.admits(pluginId.toLowerCase(), namedBy);
    },
  };
}
