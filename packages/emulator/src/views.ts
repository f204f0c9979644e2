/** The control API's view of a tenant: texts in the reader's language, never a secret. */
import { countTokens, findClient } from './authorization-server/index.ts';
import type { Installation, Instance, Plugins, ReceivedNotification } from './control-api.ts';
import { pageUrl, srcOf } from './page-url.ts';
import type { InstallationRecord, PlacedInstance } from './snapshot.ts';
import type { TenantState } from './tenant-state.ts';

export function viewPlugins(state: TenantState, language: string): Plugins {
  return {
    installations: state.installations.map((each) => viewInstallation(state, each, language)),
  };
}

export function viewInstallation(
  state: TenantState,
  installation: InstallationRecord,
  language: string,
): Installation {
  const { pluginId, manifestUrl, manifest, installedAt, instances } = installation;
  const client = findClient(state.authorizationServer, pluginId);
  return {
    pluginId,
    manifestUrl,
    installedAt,
    name: pickText(manifest.name, language),
    description: pickText(manifest.description, language),
    pluginVersion: manifest.pluginVersion,
    requestedScopes: manifest.apiAccess?.client.scope ?? [],
    entryPoints: manifest.entryPoints.map(({ id, name }) => ({
      id,
      name: pickText(name, language),
    })),
    instances: instances.map((instance) =>
      viewInstance(state, installation, { instance, language }),
    ),
    tokens: client ? countTokens(client, state.terms().now) : { accessTokens: 0, refreshTokens: 0 },
  };
}

export function viewInstance(
  { tenant: { tenantId }, lab }: TenantState,
  { pluginId, manifest, manifestUrl }: InstallationRecord,
  { instance, language }: { instance: PlacedInstance; language: string },
): Instance {
  const { instanceId, entryPointId, url, height } = instance;
  const ids = { instanceId, entryPointId };
  const src = srcOf(lab.forms.src, { tenantId, pluginId, instanceId });
  const entryPoint = manifest.entryPoints.find(({ id }) => id === entryPointId);
  // An update has removed the entry point.
  if (!entryPoint) {
    const title = pickText(manifest.name, language);
    return { ...ids, src, url: pageUrl(url, url, src), configUrl: null, title, height };
  }
  const { configUrl } = entryPoint;
  return {
    ...ids,
    src,
    url: pageUrl(entryPoint.url, manifestUrl, src),
    configUrl: configUrl === undefined ? null : pageUrl(configUrl, manifestUrl, src),
    title: pickText(entryPoint.name, language),
    height: entryPoint.height ?? null,
  };
}

export function viewNotifications(
  state: TenantState,
  { userId, language }: { userId: string; language: string },
): ReceivedNotification[] {
  return state.notifications
    .newestFirst()
    .filter(({ recipientId }) => recipientId === userId)
    .map(({ id, pluginId, pluginName, instanceId, receivedAt, notification }) => ({
      id,
      pluginId,
      pluginName: pickText(pluginName, language),
      instanceId,
      message: notification.message ?? pickText(notification.messages, language),
      excerpt: notification.excerpt ?? (pickText(notification.excerpts, language) || null),
      category: notification.category,
      receivedAt,
    }));
}

/** Returns the text in the reader's language, or in English, or in any language. */
export function pickText(texts: Record<string, string> | undefined, language: string): string {
  return texts?.[language] ?? texts?.en ?? Object.values(texts ?? {})[0] ?? '';
}
