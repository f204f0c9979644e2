/** Which installations an operator should look at, and why. */
import type { InstallationSummary } from '@dowel/schema';

export type AttentionCause = 'awaiting_event' | 'pending' | 'failing';

/**
 * Undefined: all is well, or the installation is gone. `failing`: the last error is newer than the
 * access token, so the attempt to replace it failed.
 */
export function attentionCause(installation: InstallationSummary): AttentionCause | undefined {
  const { status, accessToken, lastError } = installation;
  if (status === 'pending' || status === 'awaiting_event') return status;
  if (status !== 'active' || !lastError) return undefined;
  return lastError.at > (accessToken?.issuedAt ?? 0) ? 'failing' : undefined;
}

export function needsAttention(installation: InstallationSummary): boolean {
  return attentionCause(installation) !== undefined;
}

export const attentionSentences: Readonly<Record<AttentionCause, string>> = {
  awaiting_event:
    'The access token can no longer be refreshed. The platform was asked for a new access_token event.',
  pending: 'Installed, but no access token has arrived yet.',
  failing: 'The access token is still in use, but the last attempt to replace it failed.',
};
