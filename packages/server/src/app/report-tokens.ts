/** Passes the observations of a token client to the log and the server's observer. */
import type { TokenObservation } from '@dowel/token-client';
import type { Log } from '../log/log.ts';
import type { Observation, Observe } from '../observation.ts';

const tokenLogLevels = {
  refreshed: 'info',
  refresh_failed: 'warn',
  triggered: 'warn',
  parked: 'warn',
  exchanged: 'info',
  recovered: 'info',
  respelled: 'info',
  unsaved: 'error',
  saved: 'warn',
  installation_broken: 'warn',
  installation_recovered: 'info',
} as const satisfies Record<TokenObservation['type'], string>;

/** Installations with unusual token answers that are remembered. */
const maxRespelled = 1_000;

/** Creates the observer of a token client. Unusual token answers are reported once for each installation. */
export function reportTokens(logger: Log, observe: Observe = () => {}) {
  const respelled = new Set<string>();
  return (observation: TokenObservation): void => {
    const { type, ...details } = observation;
    if (type === 'respelled') {
      const { installationId } = observation;
      if (respelled.has(installationId) || respelled.size >= maxRespelled) return;
      respelled.add(installationId);
    }
    const name = type.startsWith('installation_') ? type.replace('_', '.') : `token.${type}`;
    logger[tokenLogLevels[type]](details, name);
    observe({ ...observation, type: name } as Observation);
  };
}
