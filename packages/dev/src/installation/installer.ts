/** Keeps the plug-in installed in the first tenant of the emulated platform, with a widget of each entry point. */
import type { InstallationKey, Platform } from '@dowel/emulator';
import type { Say } from '../dev-line.ts';

export interface Installer {
  isInstalled(): boolean;
  /** Installs it, or updates it, and places what is not placed yet. Says what failed. */
  sync(): Promise<void>;
  /** Uninstalls it first. */
  again(): Promise<void>;
  /** Sends an access_token event without a trigger. */
  sendAccessToken(): Promise<void>;
}

interface Context {
  platform: Platform;
  manifestUrl: string;
  say: Say;
}

/** Creates the installer. It does nothing by itself. */
export function createInstaller(context: Context): Installer {
  const { platform } = context;
  const key = () => findKey(context);
  return {
    isInstalled: () => key() !== undefined,
    sync: () => attempt(context, 'install the plug-in', () => sync(context)),
    again: () =>
      attempt(context, 'install the plug-in again', async () => {
        const installed = key();
        if (installed) await platform.uninstall(installed);
        await sync(context);
      }),
    sendAccessToken: () =>
      attempt(context, 'send access_token', async () => {
        const installed = key();
        if (installed) await platform.sendAccessTokenEvent(installed);
      }),
  };
}

function tenantIdOf(platform: Platform): string {
  return platform.tenants[0]?.tenantId ?? '';
}

function findKey({ platform, manifestUrl }: Context): InstallationKey | undefined {
  const tenantId = tenantIdOf(platform);
  const { installations } = platform.plugins(tenantId);
  const found = installations.find((each) => each.manifestUrl === manifestUrl);
  return found && { tenantId, pluginId: found.pluginId };
}

async function sync(context: Context): Promise<void> {
  const { platform, manifestUrl } = context;
  const tenantId = tenantIdOf(platform);
  const known = findKey(context);
  const { pluginId, entryPoints, instances } = known
    ? await platform.update(known)
    : await platform.install({ tenantId, manifestUrl });
  const placed = instances.map(({ entryPointId }) => entryPointId);
  for (const { id: entryPointId } of entryPoints) {
    if (placed.includes(entryPointId)) continue;
    await platform.addInstance({ tenantId, pluginId, entryPointId });
  }
}

async function attempt({ say }: Context, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    say('platform', `The platform could not ${what}: ${(error as Error).message}`, {
      level: 'error',
    });
  }
}
