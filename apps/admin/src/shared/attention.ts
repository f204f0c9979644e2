/** Which installations an operator should look at, and why. */
import { type InstallationSummary, needsAttention } from '@dowel/schema';

export type AttentionCause = 'awaiting_event' | 'pending' | 'failing';

/**
 * Undefined: all is well, or the installation is gone. `failing`: there was an error since the access
 * token arrived, so the attempt to replace it failed.
 */
export function attentionCause(installation: InstallationSummary): AttentionCause | undefined {
  const { status } = installation;
  if (status === 'uninstalled' || !needsAttention(installation)) return undefined;
  return status === 'active' ? 'failing' : status;
}

export const attentionSentences: Readonly<Record<AttentionCause, string>> = {
  awaiting_event:
    'The access token can no longer be refreshed. The platform was asked for a new access_token event.',
  pending: 'Installed, but no access token has arrived yet.',
  failing: 'The access token is still in use, but the last attempt to replace it failed.',
};
