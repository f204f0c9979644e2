import type { FaultName } from '@dowel/emulator/control-api';
import { faultsOf, plays } from '@dowel/emulator/plays';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  addFault,
  endFault,
  loadExchanges,
  revokeTokens,
  sendAccessTokenEvent,
} from '../control-client.ts';
import { exchangesQuery, faultsQuery, loadAgain, pluginsQuery } from '../control-queries.ts';
import { installAgain } from '../install-again.ts';

/** The fault that was played last. */
export interface Play {
  name: FaultName;
  pluginId: string;
  /** The newest request before it. */
  sinceId: number;
  faultIds: readonly number[];
}

export interface PlayState {
  play: Play | null;
  setPlay: (play: Play) => void;
}

/** Lets the next request of a plug-in meet a fault, and makes one come if the platform can. */
export function usePlay({ play: before, setPlay }: PlayState) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    async mutationFn({ name, pluginId }: Pick<Play, 'name' | 'pluginId'>) {
      for (const id of before?.faultIds ?? []) await endFault(id).catch(() => undefined);
      const { exchanges } = await loadExchanges();
      const faultIds = await addFaults(name, pluginId);
      setPlay({ name, pluginId, faultIds, sinceId: exchanges.at(-1)?.id ?? 0 });
      await start(name, pluginId);
    },
    meta: { failed: t('fault.playFailed') },
    onSettled: () => loadAgain(client, exchangesQuery, faultsQuery, pluginsQuery),
  });
}

async function addFaults(name: FaultName, pluginId: string): Promise<number[]> {
  const ids = [];
  for (const fault of faultsOf(name, { pluginId })) ids.push((await addFault(fault)).id);
  return ids;
}

async function start(name: FaultName, pluginId: string): Promise<void> {
  const { start: what, firstOptions } = plays[name];
  switch (what) {
    case 'sendEvent':
      await sendAccessTokenEvent(pluginId);
      if (firstOptions) await sendAccessTokenEvent(pluginId);
      return;
    case 'revokeAllTokens':
      await revokeTokens(pluginId, 'refreshTokens');
      await revokeTokens(pluginId, 'accessTokens');
      return;
    case 'revokeAccessTokens':
      await revokeTokens(pluginId, 'accessTokens');
      return;
    case 'installAgain':
      await installAgain(pluginId, { isUninstallLate: name === 'event.late' });
  }
}
