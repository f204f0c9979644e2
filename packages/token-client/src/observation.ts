/** What a token client does, for logs and metrics. Holds no secret. */
export type TokenObservation = { installationId: string } & (
  | { type: 'refreshed'; tokenVersion: number; durationMs: number }
  /** A refresh brought nothing; `retryInMs` is null when the token is dead. */
  | { type: 'refresh_failed'; reason: string; retryInMs: number | null }
  /** A new event was asked for; `reason` says why the platform did not take the request. */
  | { type: 'triggered'; reason: string | null }
  /** Calls wait for a new event. */
  | { type: 'parked'; reason: string }
  /** The tokens of an event are stored. */
  | { type: 'exchanged'; tokenVersion: number }
  /** Tokens are there again after the grant was dead. */
  | { type: 'recovered'; tokenVersion: number }
  /** Tokens are in memory only, the database could not take them; `saved` when it has. */
  | { type: 'unsaved'; tokenVersion: number }
  | { type: 'saved'; tokenVersion: number }
);
