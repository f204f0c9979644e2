/** The places for calls in the simulated processes: so few that some tenants can crowd an origin. */
import type { TokenPolicy } from '@dowel/token-client';

/**
 * Three tenants that answer fit, as well as one that answers beside all those that hang: `newPlaces`, as many of
 * tenants that have just timed out, and `suspectPlaces`.
 */
export const callPlaces: TokenPolicy['callPlaces'] = {
  places: 14,
  firstPlaces: 2,
  maxPlaces: 4,
  suspectPlaces: 2,
  newPlaces: 4,
};

/** More tenants that call for the first time than places. */
export const crowdSize = callPlaces.places;
