import { installPlugin, loadPlugins, placeWidget, uninstallPlugin } from './control-client.ts';

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
  if (isUninstallLate) while (await findInstallation(pluginId));
  else await uninstalled;
  // Events that are signed in one second have no order.
  await new Promise((resolve) => setTimeout(resolve, 1_000 - (Date.now() % 1_000)));
  await installPlugin({ manifestUrl: installation.manifestUrl, pluginId });
  for (const { entryPointId } of installation.instances) await placeWidget(pluginId, entryPointId);
  await uninstalled;
}

async function findInstallation(pluginId: string) {
  const { installations } = await loadPlugins();
  return installations.find((each) => each.pluginId === pluginId);
}
