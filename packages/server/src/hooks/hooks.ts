/** The hooks of a plug-in and their data (docs/decisions/0036-hooks.md). */
import type { Installation } from '@dowel/installation-store';
import type { Log } from '../log/log.ts';
import type { PlatformScope } from '../operations/operation.ts';
import type { Platform } from '../platform/call-platform.ts';

/** The data of each hook. It contains no secret. */
export interface HookData {
  /** The plug-in can work for this tenant from now on. Widgets that were placed before follow as `instanceAdded`. */
  installed: {
    grantedScopes: readonly PlatformScope[];
    /** An earlier installation in this tenant was usable. */
    isReinstall: boolean;
  };
  /** The platform sent another access_token event, perhaps with other scopes. */
  tokensReceived: {
    grantedScopes: readonly PlatformScope[];
    previousScopes: readonly PlatformScope[];
  };
  /** A widget was placed. */
  instanceAdded: { instanceId: string };
  /** A widget was removed. Perhaps it was placed again since then: see `isPlacedAgain` of the delivery. */
  instanceRemoved: { instanceId: string };
  /** There has been no usable access token for a minute. `since` in epoch milliseconds; `reason` as in docs/errors.md. */
  broken: { since: number; reason: string };
  /** There are tokens again, after `broken`. */
  recovered: { brokenSince: number };
  /**
   * This life of the installation has ended, and its tokens are deleted. Perhaps the tenant has installed again since
   * then: delete what you stored under `installation.lifeId`, or look at `isReinstalled` first. `installedAt` in epoch
   * milliseconds.
   */
  uninstalled: { installedAt: number };
}

/** One attempt to call a hook. */
export type HookDelivery<Name extends keyof HookData> = {
  [Each in Name]: {
    event: Each;
    /** The same for every attempt and replay. Store it to do something only once. */
    id: string;
    /** The position in the installation's order, from 1. */
    sequence: number;
    /** 1 for the first attempt. */
    attempt: number;
    /** True after an operator has replayed the delivery. */
    isReplay: boolean;
    /** Epoch milliseconds, by the database's clock. */
    occurredAt: number;
    /**
     * True when the installation has a newer life that lives, because the tenant has installed again since this happened,
     * or when the same tenant and plug-in live under another issuer. Read
     * when the attempt begins, so an install can still come while the hook runs. Only data with the key
     * `installation.lifeId` is safe to delete then; look at this if the tenant or the installation's `id` is your key.
     */
    isReinstalled: boolean;
    /** Of `instanceRemoved`: true when the widget is placed again. Read like `isReinstalled`. Undefined for other hooks. */
    isPlacedAgain: Each extends 'instanceRemoved' ? boolean : undefined;
    /** The installation at the time of this attempt, with the `generation` and `lifeId` that the delivery is of. */
    installation: Installation;
    data: HookData[Each];
    /** Undefined after `uninstalled` and `broken`: there is no token to call with. */
    platform: Each extends 'uninstalled' | 'broken' ? undefined : Platform;
    log: Log;
    /** Aborted when the time is over, with a `TimeoutError` as its reason, or when the process stops. */
    signal: AbortSignal;
  };
}[Name];

/** The tenant that installs a plug-in. The id is unique only for its issuer. */
export interface Tenant {
  issuer: string;
  id: string;
}

/** A new generation that is about to begin. */
export interface BeforeInstallContext {
  tenant: Tenant;
  pluginId: string;
  /** The number of the new generation. */
  generation: number;
  /** An earlier installation in this tenant was usable. */
  isReinstall: boolean;
  log: Log;
  /** Aborted when the time is over. */
  signal: AbortSignal;
  /**
   * Refuses the installation for good. The platform receives the message, at most 200 characters. Write
   * `return refuse(…)`: TypeScript sees the end of a function only there.
   *
   * @throws always, so nothing after it runs.
   */
  refuse: (message: string) => never;
}

/**
 * Functions that are called when something has happened to an installation: after the commit, at least once, in order,
 * and one at a time per installation. A hook that throws is called again. `beforeInstall` is called before the answer to
 * the platform, and may be called more than once, so it must change nothing.
 */
export type Hooks = {
  [Name in keyof HookData]?: ((delivery: HookDelivery<Name>) => Promise<void> | void) | undefined;
} & {
  beforeInstall?: ((context: BeforeInstallContext) => Promise<void> | void) | undefined;
};

/** Reports the end of one attempt. */
export interface HookObservation {
  /**
   * `parked`: it is tried again only when an operator replays it. `superseded`: the installation's life had ended, so
   * the platform could not be called.
   */
  type: 'hook.delivered' | 'hook.failed' | 'hook.parked' | 'hook.superseded';
  event: keyof HookData;
  /** The key of the plug-in; '' for the only one. */
  plugin: string;
  installationId: string;
  /** 1 for the first. */
  attempt: number;
  durationMs: number;
}

/** Throw it in a hook to stop the attempts until an operator replays the delivery. */
export class ParkHook extends Error {
  override readonly name = 'ParkHook';
}

/** The hooks of several plug-ins, each by its name in the store; '' for the only one. */
export type HooksByPlugin = Readonly<Record<string, Hooks>>;

/** The hook of a plug-in for one event, called as a method: it may use `this`. Undefined when it has none. */
export function hookOf(
  hooks: HooksByPlugin,
  plugin: string,
  event: keyof HookData,
): ((delivery: HookDelivery<keyof HookData>) => Promise<void> | void) | undefined {
  const own = Object.hasOwn(hooks, plugin) ? hooks[plugin] : undefined;
  // The caller passes a delivery of this very event.
  const hook = own?.[event] as ReturnType<typeof hookOf>;
  return hook?.bind(own);
}

/** All names that a table of hooks may have. */
export const hookNames: Record<keyof Hooks, true> = {
  beforeInstall: true,
  installed: true,
  tokensReceived: true,
  instanceAdded: true,
  instanceRemoved: true,
  broken: true,
  recovered: true,
  uninstalled: true,
};

/** The names of the hooks that a plug-in has. The methods of a class are not own members. */
export function listHooks(hooks: Hooks): (keyof Hooks)[] {
  const names = Object.keys(hookNames) as (keyof Hooks)[];
  return names.filter((name) => hooks[name] !== undefined);
}
