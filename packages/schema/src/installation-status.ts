import { z } from 'zod';

/**
 * - `pending`: installed, no access token yet.
 * - `active`: has a token set; expired ones are refreshed by the next call.
 * - `awaiting_event`: the refresh token is dead; a new access_token event was triggered.
 * - `uninstalled`: the platform removed it, or the installation failed; no secret is left.
 */
export const installationStatusSchema = z.enum([
  'pending',
  'active',
  'awaiting_event',
  'uninstalled',
]);

export type InstallationStatus = z.infer<typeof installationStatusSchema>;
