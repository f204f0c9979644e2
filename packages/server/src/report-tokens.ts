/** Passes the observations of a token client to the log and the server's observer. */
import type { TokenObservation } from '@dowel/token-client';
import type { Log } from './log/log.ts';
import type { Observation, Observe } from './observation.ts';

const tokenLogLevels = {
  refreshed: 'info',
  refresh_failed: 'warn',
  triggered: 'warn',
  parked: 'warn',
  exchanged: 'info',
  recovered: 'info',
  unsaved: 'error',
  saved: 'warn',
  installation_broken: 'warn',
  installation_recovered: 'info',
} as const satisfies Record<TokenObservation['type'], string>;

/** Creates the observer of a token client. */
export function reportTokens(logger: Log, observe: Observe = () => {}) {
  return (observation: TokenObservation): void => {
    const { type, ...details } = observation;
    const name = type.startsWith('installation_') ? type.replace('_', '.') : `token.${type}`;
    logger[tokenLogLevels[type]](details, name);
    observe({ ...observation, type: name } as Observation);
  };
}
