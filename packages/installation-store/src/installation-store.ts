/** Installations: their lives and their instances. Points in time are epoch milliseconds, except `iat`, which is in seconds. */
import type { InstallationStatus, PlatformProfile } from '@dowel/schema';

/** Tenant and plug-in are unique only together, and only under their issuer. */
export interface InstallationKey {
  issuer: string;
  tenantId: string;
  pluginId: string;
}

export interface Installation extends InstallationKey {
  /** Kept by the next lives, until the record is deleted (docs/decisions/0014). */
  id: string;
  /** The id of this life. Each life has another one. */
  lifeId: string;
  status: InstallationStatus;
  /** The number of the life; never decreases. 0: only an uninstall has arrived so far. */
  generation: number;
  /** `iat` of the event that began this life, or of a newer install. */
  beganIat: number;
  /** `iat` of the last uninstall; null when there was none. */
  endedIat: number | null;
  /** `iat` of the access_token event whose tokens are stored; null when there are none. */
  appliedIat: number | null;
  /** The platform that these tokens are for; null when there are none. */
  baseUrl: string | null;
  /** The name that the back end gave the plug-in whose URL received its first event; '' for the only one. */
  plugin: string;
  /** The newest generation that became usable; 0: none did (docs/decisions/0036-hooks.md). */
  usableGeneration: number;
  /** This life began, and the plug-in's `beforeInstall` has not let it in yet: no session opens. */
  awaitsAdmission: boolean;
  /** When this life began, epoch milliseconds. */
  beganAt: number;
  /**
   * Its tenant has a newer address: the same tenant and plug-in have had tokens under another issuer since the last
   * event and the last session of this one. When its access ends, it rests.
   */
  hasMoved: boolean;
}

/** The installation of the same tenant and plug-in under another issuer. */
export interface OtherAddress {
  id: string;
  issuer: string;
  /** Both issuers are of one platform, so the other one rests when its access has ended. */
  mayRest: boolean;
}

/**
 * Whether pages that match no placed instance have sessions. `until-matched`: only as long as no page of their
 * installation has matched one.
 */
export type UnmatchedPages = 'until-matched' | 'refuse' | 'allow';

export interface LookupRules {
  /** The plug-in whose page asks. Default ''. */
  plugin?: string;
  /** Default: that of `defaultPlatformProfile`. */
  instanceOf?: PlatformProfile['instanceOf'];
  /** Default `until-matched`. */
  unmatched?: UnmatchedPages;
}

/** Which installation a page belongs to, and which widget. */
export type InstanceLookup =
  | {
      outcome: 'found';
      installation: Installation;
      /** `iat` of the tenant's newest uninstall of this plug-in, also under another plug-in id; null: none. */
      lastEndedIat: number | null;
      /** The placed instance, or the best guess if there is no match. */
      instanceId: string;
      /**
       * `placed`: `src` names the instance. `derived`: `src` names something else that leads to it, such as the plug-in.
       * `unknown`: the platform has sent no instance event. `unmatched`: it has, and no placed instance fits.
       */
      match: 'placed' | 'derived' | 'unknown' | 'unmatched';
      /** The form of the first `src` of the installation that was unmatched: see `describeSrc`. Null: none was. */
      srcForm: string | null;
    }
  /** The tenant has no live installation. */
  | { outcome: 'tenant_unknown' }
  /** The tenant has live installations, but none fits, or the instance was removed. */
  | { outcome: 'instance_unknown' };

/** The event that begins a life. It may be an access_token event, because a manifest may name no install event. */
export type LifeBeginning = 'install' | 'access_token';

export interface Beginning {
  /** The digest of the access_token event that begins the life. Default: an install does. */
  code?: string | undefined;
  /** The plug-in, by the name that the back end gave it. Kept from the first life. Default ''. */
  plugin?: string;
  /** The plug-in's `beforeInstall` must let the new life in. Default false. */
  awaitsAdmission?: boolean;
}

export interface BegunInstallation extends Installation {
  /** This call began a life after a tombstone. */
  isRevival: boolean;
}

export interface InstallationStore {
  find(key: InstallationKey): Promise<Installation | undefined>;
  get(id: string): Promise<Installation | undefined>;
  /** At most `limit`, in the order of their ids, from the one after `id` on. '' begins. */
  listAfter(id: string, limit: number): Promise<Installation[]>;
  /**
   * The live installation and the instance that a page's `src` names (docs/decisions/0023). If the tenant has
   * no installation of this plug-in, another plug-in's may be found.
   */
  findByInstance(
    issuer: string,
    tenantId: string,
    src: string,
    options?: LookupRules,
  ): Promise<InstanceLookup>;
  /**
   * Creates the installation, or begins its next life if the previous one ended before `iat`. A live
   * installation keeps its life, but an install moves its start to the newer `iat`, so that a late, older
   * uninstall does not end it.
   *
   * @returns the installation after that: `uninstalled` if the event belongs to a life that has ended.
   */
  begin(
    key: InstallationKey,
    iat: number,
    at: number,
    beginning?: Beginning,
  ): Promise<BegunInstallation>;
  /**
   * A copy of the access_token event with the digest `code` was signed earlier. If that event began the life,
   * the life's start moves back to `iat`.
   */
  antedate(installation: Installation, code: string, iat: number): Promise<void>;
  /**
   * Ends the life that existed when the uninstall was signed, and deletes its secrets and sessions at once. A
   * tombstone remains (docs/decisions/0014) until `Store.maintain` purges it, also for an unknown
   * installation (generation 0). A life that began later continues, without the tokens of events from before
   * `iat`.
   */
  uninstall(key: InstallationKey, iat: number): Promise<Installation>;
  /**
   * The code of the access_token event with the digest `code` was refused, so that event proves no life. A
   * life that only this event began after an uninstall ends. Any other life continues: it began with its
   * newest install or, without one, any later uninstall ends it.
   */
  giveUp(installation: Installation, code: string): Promise<void>;
  /**
   * Notes that the tenant of this installation has its newest address here. Call it in the transaction that stores the
   * tokens of an event. `iat` of that event, in seconds.
   *
   * @param isSamePlatform whether another issuer's events are signed with the keys of the same platform. Others
   * cannot make an installation rest (docs/decisions/0018).
   * @returns the older ones that were not noted before.
   */
  noteMove(
    installation: InstallationKey,
    event: { iat: number; isSamePlatform: (issuer: string) => boolean },
  ): Promise<OtherAddress[]>;
  /** An event or a session of this address has come: the installation does not rest any more. */
  endMove(installationId: string): Promise<void>;
  /**
   * An event that is not newer than the newest one about this instance changes nothing: false. `iat` in seconds.
   */
  addInstance(installationId: string, instanceId: string, iat: number): Promise<boolean>;
  /** Ends the sessions of the instance, too. Wins over an addition of the same second. Otherwise as `addInstance`. */
  removeInstance(installationId: string, instanceId: string, iat: number): Promise<boolean>;
  /** The placed instances after the id `after`, in the order of their ids; at most `limit`. '' begins. */
  listInstances(installationId: string, page: { after: string; limit: number }): Promise<string[]>;
  /**
   * The issuers of the living installations that have placed one of these instances, in order; at most `limit`. More
   * than one if tenants use the same id.
   */
  listIssuersOf(instanceIds: readonly string[], limit: number): Promise<string[]>;
}
