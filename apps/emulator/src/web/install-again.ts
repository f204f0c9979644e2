import type { Installation } from '@dowel/emulator/control-api';
import { installPlugin, loadPlugins, placeWidget, uninstallPlugin } from './control-client.ts';

const maxLooks = 200;

/**
 * Uninstalls a plug-in and installs it with the same id and widgets.
 *
 * @param options.isUninstallLate the uninstall event waits for the next install.
 */
export async function installAgain(
  pluginId: string,
  { isUninstallLate = false } = {},
): Promise<void> {
  const installation = await findInstallation(pluginId);
  if (!installation) return;
  const uninstalled = uninstallPlugin(pluginId);
  const gone = isUninstallLate ? waitUntilGone(pluginId) : uninstalled;
  await Promise.all([uninstalled, gone.then(() => installWithWidgets(installation))]);
}

async function installWithWidgets({ pluginId, ...before }: Installation): Promise<void> {
  // Events that are signed in one second have no order.
  await new Promise((resolve) => setTimeout(resolve, 1_000 - (Date.now() % 1_000)));
  await installPlugin({ manifestUrl: before.manifestUrl, pluginId });
  for (const { entryPointId } of before.instances) await placeWidget(pluginId, entryPointId);
}

/** Each look is a request, so there is no pause. The install fails if the plug-in is still there. */
async function waitUntilGone(pluginId: string): Promise<void> {
  for (let looks = 0; looks < maxLooks && (await findInstallation(pluginId)); looks += 1);
}

async function findInstallation(pluginId: string): Promise<Installation | undefined> {
  const { installations } = await loadPlugins();
  return installations.find((each) => each.pluginId === pluginId);
}
