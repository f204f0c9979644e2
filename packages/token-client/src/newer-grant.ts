/** Waiting for the tokens that a new access_token event brings, whoever stores them. */
import type { Grant, Store } from '@dowel/installation-store';
import { TokenClientError } from './errors.ts';

/** @throws TokenClientError `GRANT_NOT_FOUND`. */
export async function loadGrant(store: Store, installationId: string): Promise<Grant> {
  const grant = await store.grants.load(installationId);
  if (!grant) throw new TokenClientError('GRANT_NOT_FOUND', 'The installation has no token');
  return grant;
}

/**
 * Resolves with the first grant of another version than `grant`; rejects with the signal's reason,
 * or with `GRANT_NOT_FOUND` when the installation is removed meanwhile.
 */
export function newerGrant(store: Store, grant: Grant, signal: AbortSignal): Promise<Grant> {
  return new Promise((resolve, reject) => {
    async function check(): Promise<void> {
      try {
        const current = await loadGrant(store, grant.installationId);
        if (current.tokenVersion === grant.tokenVersion) return;
        stop();
        resolve(current);
      } catch (error) {
        stop();
        reject(error);
      }
    }
    const stop = store.onChange((installationId) => {
      if (installationId === grant.installationId) void check();
    });
    signal.addEventListener('abort', () => {
      stop();
      reject(signal.reason);
    });
    void check();
  });
}
