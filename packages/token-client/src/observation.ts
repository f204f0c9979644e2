/** The events of a token client, for logs and metrics. They contain no secrets. */
import type { Reason, Respelling } from '@dowel/schema';

export type TokenObservation = { installationId: string } & (
  | { type: 'refreshed'; tokenVersion: number; durationMs: number }
  /** A refresh brought no tokens. `retryInMs` is null when the refresh token is dead. */
  | { type: 'refresh_failed'; reason: Reason; retryInMs: number | null }
  /** A new event was requested. `reason` is null, or why the platform did not accept the request. */
  | { type: 'triggered'; reason: Reason | null }
  /** Calls wait for a new event. */
  | { type: 'parked'; reason: string }
  /** The tokens of an event are stored. */
  | { type: 'exchanged'; tokenVersion: number }
  /** There are tokens again after the grant was dead. */
  | { type: 'recovered'; tokenVersion: number }
  /** A token answer was used that is spelled otherwise than the specification says. */
  | { type: 'respelled'; respelled: readonly Respelling[] }
  /** Tokens are only in memory, because the database could not store them. `saved` follows when it has. */
  | { type: 'unsaved'; tokenVersion: number }
  | { type: 'saved'; tokenVersion: number }
  /** There has been no usable access token since then, for `brokenAfterMs`. Epoch milliseconds. */
  | { type: 'installation_broken'; since: number; reason: string }
  /** There are usable tokens again, after `installation_broken`. */
  | { type: 'installation_recovered'; brokenSince: number }
);
