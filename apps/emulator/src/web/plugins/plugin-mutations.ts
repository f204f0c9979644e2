/** The actions on an installation; each loads the plug-ins again at its end. */
import type { Installation } from '@dowel/emulator/control-api';
import { type MutationMeta, useMutation, useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import {
  installPlugin,
  placeWidget,
  removeWidget,
  revokeTokens,
  sendAccessTokenEvent,
  uninstallPlugin,
  updatePlugin,
} from '../control-client.ts';
import { exchangesQuery, loadAgain, pluginsQuery } from '../control-queries.ts';
import { installAgain } from '../install-again.ts';
import { showDone } from '../toasts.ts';

interface PluginMutation<Variables, Result> {
  mutationFn: (variables: Variables) => Promise<Result>;
  meta: (t: TFunction) => MutationMeta;
  done: (t: TFunction, result: Result) => string;
}

function usePluginMutation<Variables, Result>(options: PluginMutation<Variables, Result>) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: options.mutationFn,
    meta: options.meta(t),
    onSuccess: (result) => showDone(t, options.done(t, result)),
    // Failed attempts leave deliveries too.
    onSettled: () => loadAgain(client, pluginsQuery, exchangesQuery),
  });
}

const showsFailureItself = () => ({ showsFailureItself: true });

export const useInstall = () =>
  usePluginMutation({
    mutationFn: (manifestUrl: string) => installPlugin({ manifestUrl }),
    meta: showsFailureItself,
    done: (t, { name }) => t('install.done', { name }),
  });

export const useUpdate = ({ pluginId, name }: Installation) =>
  usePluginMutation<void, unknown>({
    mutationFn: () => updatePlugin(pluginId),
    meta: showsFailureItself,
    done: (t) => t('installation.updated', { name }),
  });

export const useInstallAgain = ({ pluginId, name }: Installation) =>
  usePluginMutation<void, unknown>({
    mutationFn: () => installAgain(pluginId),
    meta: (t) => ({ failed: t('install.failed') }),
    done: (t) => t('install.done', { name }),
  });

export const useUninstall = ({ pluginId, name }: Installation) =>
  usePluginMutation<void, unknown>({
    mutationFn: () => uninstallPlugin(pluginId),
    meta: (t) => ({ failed: t('installation.uninstallFailed', { name }) }),
    done: (t) => t('installation.uninstalled', { name }),
  });

export const usePlaceWidget = ({ pluginId, name }: Installation) =>
  usePluginMutation({
    mutationFn: (entryPointId: string) => placeWidget(pluginId, entryPointId),
    meta: (t) => ({ failed: t('installation.placeFailed', { name }) }),
    done: (t, { title }) => t('installation.placed', { title }),
  });

export const useRemoveWidget = ({ pluginId, name }: Installation) =>
  usePluginMutation<string, unknown>({
    mutationFn: (instanceId) => removeWidget(pluginId, instanceId),
    meta: (t) => ({ failed: t('installation.removeFailed', { name }) }),
    done: (t) => t('installation.removed'),
  });

export const useSendAccessTokenEvent = ({ pluginId, name }: Installation) =>
  usePluginMutation<void, unknown>({
    mutationFn: () => sendAccessTokenEvent(pluginId),
    meta: (t) => ({ failed: t('installation.sendEventFailed', { name }) }),
    done: (t) => t('installation.eventSent', { name }),
  });

export const useRevokeTokens = ({ pluginId, name }: Installation) =>
  usePluginMutation<'accessTokens' | 'refreshTokens', unknown>({
    mutationFn: (what) => revokeTokens(pluginId, what),
    meta: (t) => ({ failed: t('installation.revokeFailed', { name }) }),
    done: (t) => t('installation.revoked', { name }),
  });
