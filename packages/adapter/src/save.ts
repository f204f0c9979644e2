/**
 * Decides what a save request of the platform is answered: exactly once, in time, whatever the
 * plug-in's handler does.
 */
import type { InitClaims } from './claims.ts';

/** The configuration to store, or true to leave it as it is, or false to refuse. */
export type SaveAnswer<Config> = Config | boolean;

/**
 * An error refuses the save too; its message says what to mend and reaches the diagnostics. The
 * signal aborts when it is too late to answer, after 30 s.
 */
export type SaveHandler<Config> = (
  claims: InitClaims,
  signal: AbortSignal,
) => SaveAnswer<Config> | Promise<SaveAnswer<Config>>;

const timeoutMs = 30_000;

/** @param warn is told why an answer is false */
export function decideSave<Config>(
  handler: SaveHandler<Config>,
  claims: InitClaims,
  warn: (diagnosis: string) => void,
): Promise<SaveAnswer<Config>> {
  return new Promise<SaveAnswer<Config>>((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    signal.onabort = () => reject(signal.reason);
    // Resolved with the handler's own promise, this one could not be rejected any more.
    Promise.resolve(handler(claims, signal))
      .then(structuredClone<SaveAnswer<Config>>) // what cannot be posted is refused
      .then(resolve, reject);
  }).catch((error) => {
    warn(`Not saved: ${error}`);
    return false;
  });
}
