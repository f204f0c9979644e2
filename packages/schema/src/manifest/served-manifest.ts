import { z } from 'zod';
import { resolves, urlInvalid } from './lint-urls.ts';
import { refuse } from './refuse.ts';

/**
 * What a back end reads of its own manifest. Other members may have any value: only the platform reads them.
 *
 * @param manifestUrl where the platform reads the manifest
 */
export function servedManifestSchema(manifestUrl: string) {
  const url = z.string().superRefine((text, context) => {
    if (!resolves(text, manifestUrl)) refuse(context, [], urlInvalid);
  });
  return z.object({
    /** For display: language → text. Empty if there is none. */
    name: z.unknown().optional().transform(textsOf),
    /** For display. Empty if it is no text. */
    pluginVersion: z.string().catch(''),
    lifecycle: z.object({ url }).optional(),
    apiAccess: z.preprocess(
      withAddress,
      z.object({ url, client: client.catch({ scope: [] }) }).optional(),
    ),
  });
}

/** Also a scope that this version does not know is requested. */
const client = z.object({
  scope: z.unknown().transform((scopes) => [scopes].flat().filter((each) => isText(each))),
});

/** Without a `url` no token can arrive, and the rest of the plug-in works: the section counts as left out. */
function withAddress(apiAccess: unknown): unknown {
  const isObject = typeof apiAccess === 'object' && apiAccess !== null && !Array.isArray(apiAccess);
  return isObject && !('url' in apiAccess) ? undefined : apiAccess;
}

function textsOf(name: unknown): Record<string, string> {
  if (isText(name)) return { en: name };
  if (typeof name !== 'object' || name === null) return {};
  return Object.fromEntries(
    Object.entries(name).filter((entry): entry is [string, string] => isText(entry[1])),
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export type ServedManifest = z.infer<ReturnType<typeof servedManifestSchema>>;
