/** Decides which installations need an operator's attention, and why. */
import { type InstallationSummary, needsAttention } from '@dowel/schema';

export type AttentionCause = 'awaiting_event' | 'pending' | 'failing';

/**
 * Undefined if all is well or the installation has ended. `failing`: an error occurred after the access
 * token arrived, so its renewal failed.
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
