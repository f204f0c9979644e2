/** What an update of an installation would change: a part of the control API. */
import { z } from 'zod';

const changeKindSchema = z.enum([
  /** The update sends `access_token`. */
  'accessAdded',
  /** It sends nothing, and the access ends. */
  'accessRemoved',
  /** It sends nothing, and the installation keeps its old grant. */
  'accessChanged',
  /** Later events follow it, and `install` is not sent again. */
  'lifecycleChanged',
  /** Its widget can be placed. */
  'entryPointAdded',
  /** Its widgets have no page. */
  'entryPointRemoved',
  /** Something else, and nothing of the above. */
  'othersChanged',
]);

/**
 * `GET /control/plugins/:pluginId/update` → 200: the manifest at its URL, compared with the installed one. No changes:
 * there is nothing to update.
 */
export const updateOfferSchema = z.object({
  changes: z.array(
    z.object({
      kind: changeKindSchema,
      /** The entry point's name. */
      entryPoint: z.string().nullable(),
    }),
  ),
  /** Why the manifest cannot be used. */
  problem: z
    .object({ code: z.enum(['MANIFEST_UNREACHABLE', 'MANIFEST_INVALID']), message: z.string() })
    .nullable(),
});

export type ManifestChangeKind = z.infer<typeof changeKindSchema>;
export type UpdateOffer = z.infer<typeof updateOfferSchema>;
