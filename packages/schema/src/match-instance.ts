/**
 * Which placed widget a page belongs to. The platform opens a page with `?src=`, which is "composed of the tenant ID
 * and the ID of the plug-in" (its developer hub). The exact form is not public, so several are understood:
 * docs/decisions/0023-placed-instances.md.
 */

/** What is known of a tenant when one of its pages asks for a session. */
export interface InstanceCandidates {
  /** From the verified init JWT. */
  tenantId: string;
  /** The live installations of the plug-in in this tenant. */
  installations: readonly { pluginId: string; instanceIds: readonly string[] }[];
}

/** A placed instance. Its id is spelled as in the `instance_add` event. */
export interface MatchedInstance {
  pluginId: string;
  instanceId: string;
}

/** Shorter ids occur in other texts by chance, so they count only between separators. */
const minFreeLength = 16;

/**
 * Returns the placed instance that `src` names, letter case ignored; undefined if it names none, or more than one. The
 * first rule that fits decides:
 *
 * 1. `src` is a placed `instanceId`.
 * 2. `src` contains exactly one placed `instanceId` of the tenant.
 * 3. `src` contains exactly one `pluginId` of the tenant, and that installation has one placed instance.
 *
 * The tenant's own id inside `src` counts for nothing.
 *
 * @example
 * const installations = [{ pluginId, instanceIds: [instanceId] }];
 * const found = matchInstance(`${tenantId}_${instanceId}`, { tenantId, installations });
 */
export function matchInstance(
  src: string,
  { tenantId, installations }: InstanceCandidates,
): MatchedInstance | undefined {
  const placed = installations.flatMap(({ pluginId, instanceIds }) =>
    instanceIds.map((instanceId) => ({ pluginId, instanceId })),
  );
  const text = src.toLowerCase();
  const equal = placed.filter(({ instanceId }) => instanceId.toLowerCase() === text);
  if (equal.length > 0) return only(equal);
  const rest = withoutTenant(text, tenantId);
  const contained = placed.filter(({ instanceId }) => containsId(rest, instanceId));
  if (contained.length > 0) return only(contained);
  const installation = findNamedPlugin(src, { tenantId, installations });
  const [instanceId, ...others] = installation?.instanceIds ?? [];
  if (!installation || instanceId === undefined || others.length > 0) return undefined;
  return { pluginId: installation.pluginId, instanceId };
}

/** Returns the only installation whose `pluginId` stands in `src`, beside the tenant's id. */
export function findNamedPlugin<Installation extends { pluginId: string }>(
  src: string,
  { tenantId, installations }: { tenantId: string; installations: readonly Installation[] },
): Installation | undefined {
  const rest = withoutTenant(src.toLowerCase(), tenantId);
  return only(installations.filter(({ pluginId }) => containsId(rest, pluginId)));
}

/** True if `src` names this instance, alone or among others, and not by the tenant's id. */
export function namesInstance(src: string, tenantId: string, instanceId: string): boolean {
  const text = src.toLowerCase();
  return text === instanceId.toLowerCase() || containsId(withoutTenant(text, tenantId), instanceId);
}

const uuidPattern = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;

/** Returns the UUIDs in `src`, in lower case. */
export function listUuids(src: string): string[] {
  return src.toLowerCase().match(uuidPattern) ?? [];
}

/**
 * Returns the instance to name to the platform when `src` matches none: the last UUID of `src` that is not the
 * tenant's, else `src` itself.
 */
export function guessInstanceId(src: string, tenantId: string): string {
  return listUuids(src).findLast((id) => id !== tenantId.toLowerCase()) ?? src;
}

/** More of it would tell nothing, and it is stored. */
const maxShapeLength = 120;

/**
 * Returns the form of a `src` without its values, such as `<tenantId>_<uuid>` or `<text 12>`. Separators stay as they
 * are. It is safe to log.
 */
export function describeSrc(src: string, tenantId: string): string {
  const shape = src
    .replaceAll(uuidPattern, (id) =>
      id.toLowerCase() === tenantId.toLowerCase() ? '<tenantId>' : '<uuid>',
    )
    .replaceAll(/<tenantId>|<uuid>|[^_\-.:/|~,;+]+/g, (part) =>
      /^<(?:tenantId|uuid)>$/.test(part) ? part : `<text ${part.length}>`,
    );
  return shape.slice(0, maxShapeLength);
}

function withoutTenant(text: string, tenantId: string): string {
  return tenantId === '' ? text : text.replaceAll(tenantId.toLowerCase(), ' ');
}

function containsId(text: string, anyId: string): boolean {
  const id = anyId.toLowerCase();
  if (id === '') return false;
  if (id.length >= minFreeLength) return text.includes(id);
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const isFree = [text.charAt(at - 1), text.charAt(at + id.length)].every((beside) =>
      /^[^\p{L}\p{N}]?$/u.test(beside),
    );
    if (isFree) return true;
  }
  return false;
}

function only<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}
