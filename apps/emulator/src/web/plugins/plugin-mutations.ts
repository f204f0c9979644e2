/** The actions on an installation; each loads the plug-ins again at its end. */
import type { Installation } from '@dowel/emulator/control-api';
import { type MutationMeta, useMutation, useQueryClient } from '@tanstack/react-query';
import {
  installPlugin,
  placeWidget,
  removeWidget,
  revokeTokens,
  sendAccessTokenEvent,
  uninstallPlugin,
  updatePlugin,
} from '../control-client.ts';
import { exchangesQuery, pluginsQuery } from '../control-queries.ts';
import { showDone } from '../toasts.ts';

interface PluginMutation<Variables, Result> {
  mutationFn: (variables: Variables) => Promise<Result>;
  meta: MutationMeta;
  done: (result: Result) => string;
}

function usePluginMutation<Variables, Result>(options: PluginMutation<Variables, Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: options.mutationFn,
    meta: options.meta,
    onSuccess: (result) => showDone(options.done(result)),
    // Failed attempts leave deliveries too.
    onSettled: () =>
      Promise.all(
        [pluginsQuery, exchangesQuery].map(({ queryKey }) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

export const useInstall = () =>
  usePluginMutation({
    mutationFn: installPlugin,
    meta: { showsFailureItself: true },
    done: (installation) => `${installation.name} is installed.`,
  });

export const useUpdate = ({ pluginId, name }: Installation) =>
  usePluginMutation<void, unknown>({
    mutationFn: () => updatePlugin(pluginId),
    meta: { showsFailureItself: true },
    done: () => `${name} is updated from its manifest.`,
  });

export const useUninstall = ({ pluginId, name }: Installation) =>
  usePluginMutation<void, unknown>({
    mutationFn: () => uninstallPlugin(pluginId),
    meta: { attempt: `uninstall ${name}` },
    done: () => `${name} is uninstalled.`,
  });

export const usePlaceWidget = ({ pluginId, name }: Installation) =>
  usePluginMutation({
    mutationFn: (entryPointId: string) => placeWidget(pluginId, entryPointId),
    meta: { attempt: `place a widget of ${name}` },
    done: (instance) => `The widget ${instance.title} is on the home page.`,
  });

export const useRemoveWidget = ({ pluginId, name }: Installation) =>
  usePluginMutation<string, unknown>({
    mutationFn: (instanceId) => removeWidget(pluginId, instanceId),
    meta: { attempt: `remove a widget of ${name}` },
    done: () => 'The widget is removed.',
  });

export const useSendAccessTokenEvent = ({ pluginId, name }: Installation) =>
  usePluginMutation<void, unknown>({
    mutationFn: () => sendAccessTokenEvent(pluginId),
    meta: { attempt: `send an access_token event to ${name}` },
    done: () => `An access_token event is on its way to ${name}.`,
  });

export const useRevokeTokens = ({ pluginId, name }: Installation) =>
  usePluginMutation<'accessTokens' | 'refreshTokens', unknown>({
    mutationFn: (what) => revokeTokens(pluginId, what),
    meta: { attempt: `revoke tokens of ${name}` },
    done: () => `The tokens of ${name} are revoked.`,
  });
