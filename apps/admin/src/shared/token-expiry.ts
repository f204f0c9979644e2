import type { InstallationSummary } from '@dowel/schema';

export type TokenExpiry =
  | { state: 'none'; detail: string }
  | { state: 'unknown'; detail: string }
  | { state: 'expired'; detail: string }
  | { state: 'valid'; remainingMs: number; isLow: boolean; remainingShare: number };

const lowShare = 0.1;

const withoutToken: Readonly<Record<InstallationSummary['status'], string>> = {
  pending: 'waiting for the first access_token event',
  active: 'waiting for the first access_token event',
  awaiting_event: 'waiting for a new access_token event',
  uninstalled: 'removed with the installation',
};

/** @param now the server's clock. */
export function describeExpiry(
  { status, accessToken }: Pick<InstallationSummary, 'status' | 'accessToken'>,
  now: number,
): TokenExpiry {
  if (!accessToken) return { state: 'none', detail: withoutToken[status] };
  const { issuedAt, expiresAt } = accessToken;
  if (expiresAt === null) return { state: 'unknown', detail: 'the platform did not say' };
  if (expiresAt <= now) {
    const isWaiting = status === 'awaiting_event';
    return {
      state: 'expired',
      detail: isWaiting ? withoutToken.awaiting_event : 'refreshed by the next call',
    };
  }
  const remainingMs = expiresAt - now;
  const remainingShare = Math.min(1, remainingMs / Math.max(1, expiresAt - issuedAt));
  return { state: 'valid', remainingMs, remainingShare, isLow: remainingShare < lowShare };
}
