/**
 * Reports what an event has changed to the plug-in's hooks. The report is part of the transaction of the event,
 * so it is stored exactly if the event is (docs/decisions/0036-hooks.md).
 */
import type { ApplyChange, HookChange, Installation, Stores } from '@dowel/installation-store';
import type { Acceptance } from '@dowel/token-client';

export interface ChangeOptions {
  /**
   * Called in the transaction of an event, with each thing that the event changed. It may be called again when
   * the transaction is repeated. If it throws, the event is not applied. Default: nothing is reported.
   */
  applied?: ApplyChange | undefined;
  /**
   * When an installation becomes usable: with its first stored tokens, or with its install if the manifest has
   * no `apiAccess`. Default `tokens`.
   */
  usableAt?: 'tokens' | 'install' | undefined;
  /** The scopes that the manifest requests. Others are not reported. */
  requestedScopes: string[];
}

type Life = Pick<Installation, 'id' | 'generation' | 'plugin'>;

async function append(
  { applied }: Pick<ChangeOptions, 'applied'>,
  stores: Stores,
  { id, generation, plugin, event, data }: Life & Pick<HookChange, 'event' | 'data'>,
): Promise<void> {
  await applied?.(stores, { installationId: id, generation, plugin, event, data });
}

/** The life's install was accepted. */
export async function announceInstall(
  options: ChangeOptions,
  stores: Stores,
  installation: Installation,
): Promise<void> {
  if (options.usableAt !== 'install') return;
  await announceFirstUse(options, stores, { ...installation, grantedScopes: [] });
}

/** An access_token event was decided. Its tokens may have begun the next life. */
export async function announceTokens(
  options: ChangeOptions,
  stores: Stores,
  { id, plugin, generation, ...acceptance }: Acceptance & Pick<Installation, 'id' | 'plugin'>,
): Promise<void> {
  if (generation === null) return;
  const life = { id, plugin, generation };
  const requested = (granted: readonly string[]) =>
    options.requestedScopes.filter((scope) => granted.includes(scope));
  const grantedScopes = requested(acceptance.grantedScopes);
  if (await announceFirstUse(options, stores, { ...life, grantedScopes })) return;
  const data = { grantedScopes, previousScopes: requested(acceptance.previousScopes) };
  await append(options, stores, { ...life, event: 'tokensReceived', data });
}

/** False: this life was usable before. Widgets that were placed earlier follow, because `installed` comes first. */
async function announceFirstUse(
  options: ChangeOptions,
  stores: Stores,
  { grantedScopes, ...life }: Life & { grantedScopes: readonly string[] },
): Promise<boolean> {
  const usable = await stores.usability.becomeUsable(life.id, life.generation);
  if (!usable) return false;
  await append(options, stores, {
    ...life,
    event: 'installed',
    data: { grantedScopes, ...usable },
  });
  if (!options.applied) return true;
  for (const instanceId of await stores.usability.listPlacedSinceBegin(life.id)) {
    await append(options, stores, { ...life, event: 'instanceAdded', data: { instanceId } });
  }
  return true;
}

/** Reports a widget that was placed or removed, if the installation is usable. */
export async function announceInstance(
  options: ChangeOptions,
  stores: Stores,
  told: Installation & {
    event: 'instanceAdded' | 'instanceRemoved';
    data: { instanceId: string };
  },
): Promise<void> {
  if (isUsable(told)) await append(options, stores, told);
}

/** Reports the end of the life of `before`, if `after` is uninstalled. */
export async function announceUninstall(
  options: Pick<ChangeOptions, 'applied'>,
  stores: Stores,
  { before, after }: { before: Installation; after: Installation },
): Promise<void> {
  if (!isUsable(before) || after.status !== 'uninstalled') return;
  const data = { installedAt: before.beganAt };
  await append(options, stores, { ...before, event: 'uninstalled', data });
}

function isUsable({ status, generation, usableGeneration }: Installation): boolean {
  return status !== 'uninstalled' && usableGeneration === generation;
}
