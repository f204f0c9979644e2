/**
 * What an event has changed, for the plug-in's hooks: told in the transaction of the event, so that it is
 * stored exactly if the event is (docs/decisions/0036-hooks.md).
 */
import type { HookChange, Installation, Stores } from '@dowel/installation-store';

export interface ChangeOptions {
  /**
   * Called in the transaction of an event, with each thing that the event changed. It may be called again when
   * the transaction is repeated. If it throws, the event is not applied. Default: nothing is told.
   */
  applied?: ((stores: Stores, change: HookChange) => Promise<void>) | undefined;
  /**
   * When an installation becomes usable: with its first stored tokens, or with its install if the manifest has
   * no `apiAccess`. Default `tokens`.
   */
  usableAt?: 'tokens' | 'install' | undefined;
  /** The scopes the manifest asks for. Others are not told. */
  requestedScopes: string[];
}

type Told = Pick<HookChange, 'event' | 'data'>;

async function tell(
  { applied }: ChangeOptions,
  stores: Stores,
  { id, generation, plugin }: Pick<Installation, 'id' | 'generation' | 'plugin'>,
  told: Told,
): Promise<void> {
  await applied?.(stores, { installationId: id, generation, plugin, ...told });
}

/** The life's install was accepted. */
export async function tellInstall(
  options: ChangeOptions,
  stores: Stores,
  installation: Installation,
): Promise<void> {
  if (options.usableAt === 'install') await tellFirstUse(options, stores, installation, []);
}

/** The tokens of an access_token event were stored. They may have begun the next life. */
export async function tellTokens(
  options: ChangeOptions,
  stores: Stores,
  { id, plugin }: Installation,
  previouslyGranted: readonly string[],
): Promise<void> {
  const version = await stores.grants.findVersion(id);
  if (!version) return;
  const life = { id, plugin, generation: version.generation };
  const requested = (granted: readonly string[]) =>
    options.requestedScopes.filter((scope) => granted.includes(scope));
  const grantedScopes = requested((await stores.grants.findScopes(id)) ?? []);
  if (await tellFirstUse(options, stores, life, grantedScopes)) return;
  const data = { grantedScopes, previousScopes: requested(previouslyGranted) };
  await tell(options, stores, life, { event: 'tokensReceived', data });
}

/** False: this life was usable before. Widgets that were placed earlier follow, because `installed` comes first. */
async function tellFirstUse(
  options: ChangeOptions,
  stores: Stores,
  life: Pick<Installation, 'id' | 'generation' | 'plugin'>,
  grantedScopes: readonly string[],
): Promise<boolean> {
  const usable = await stores.usability.becomeUsable(life.id, life.generation);
  if (!usable) return false;
  await tell(options, stores, life, { event: 'installed', data: { grantedScopes, ...usable } });
  if (!options.applied) return true;
  for (const instanceId of await stores.usability.listPlacedSinceBegin(life.id)) {
    await tell(options, stores, life, { event: 'instanceAdded', data: { instanceId } });
  }
  return true;
}

/** A widget of a usable installation was placed or removed. */
export async function tellInstance(
  options: ChangeOptions,
  stores: Stores,
  installation: Installation,
  told: { event: 'instanceAdded' | 'instanceRemoved'; data: { instanceId: string } },
): Promise<void> {
  if (isUsable(installation)) await tell(options, stores, installation, told);
}

/** The life of `before` has ended, if `after` says so. */
export async function tellUninstall(
  options: ChangeOptions,
  stores: Stores,
  before: Installation,
  after: Installation,
): Promise<void> {
  if (!isUsable(before) || after.status !== 'uninstalled') return;
  const data = { installedAt: before.beganAt };
  await tell(options, stores, before, { event: 'uninstalled', data });
}

function isUsable({ status, generation, usableGeneration }: Installation): boolean {
  return status !== 'uninstalled' && usableGeneration === generation;
}
