/**
 * The platform's state, as plain JSON. A running platform changes its own copy in place; a
 * snapshot is a copy of that. It contains every secret of the platform: keys, client secrets, tokens.
 */
import { manifestSchema, notificationSchema, plainWords } from '@dowel/schema';
import { z } from 'zod';
import { clientSchema } from './authorization-server/client-schema.ts';
import { strictRules } from './authorization-server/index.ts';
import { defaultForms, instanceSchema, labSchema } from './control-api.ts';
import { describeIssues } from './describe-issues.ts';
import { SnapshotError } from './errors.ts';
import { exchangeRecordSchema } from './exchange-log.ts';
import { userSchema } from './people-schema.ts';
import { isSigningKeyPem } from './signing-key.ts';

const placedInstanceSchema = instanceSchema
  .pick({ instanceId: true, entryPointId: true, url: true, height: true })
  .extend({ config: z.record(z.string(), z.unknown()) });

const installationRecordSchema = z.object({
  pluginId: z.string(),
  manifestUrl: z.string(),
  manifest: manifestSchema,
  installedAt: z.number(),
  instances: z.array(placedInstanceSchema),
});

const notificationRecordSchema = z.object({
  id: z.number(),
  recipientId: z.string(),
  pluginId: z.string(),
  pluginName: z.record(z.string(), z.string()),
  instanceId: z.string(),
  receivedAt: z.number(),
  notification: notificationSchema,
});

const tenantSnapshotSchema = z.object({
  tenantId: z.string(),
  /** Of a tenant that was added while the platform ran. */
  added: z.object({ slug: z.string(), name: z.string() }).optional(),
  /** The people who were added. */
  users: z.array(userSchema),
  lab: labSchema,
  installations: z.array(installationRecordSchema),
  clients: z.array(clientSchema),
  // Oldest first: new ids continue from the last one's id.
  notifications: z.array(notificationRecordSchema),
});

const controlSessionSchema = z.object({ sessionId: z.string(), userId: z.string() });

const signingKeyPemSchema = z.string().refine(isSigningKeyPem, 'Not an RSA private key');

const snapshotSchema = z.object({
  /** Increased when snapshots of a published version can no longer be parsed. */
  version: z.literal(1),
  /** Issuer, base URLs and the key document's URL begin with it. */
  origin: z.string(),
  /** PKCS #8; null until the first key is generated. */
  signingKeyPem: signingKeyPemSchema.nullable(),
  /** Keys before the last rotations, oldest first. */
  formerSigningKeyPems: z.array(signingKeyPemSchema),
  sessions: z.array(controlSessionSchema),
  tenants: z.array(tenantSnapshotSchema),
  /** Oldest first. */
  exchanges: z.array(exchangeRecordSchema),
});

export type PlacedInstance = z.infer<typeof placedInstanceSchema>;
export type InstallationRecord = z.infer<typeof installationRecordSchema>;
export type NotificationRecord = z.infer<typeof notificationRecordSchema>;
export type ControlSession = z.infer<typeof controlSessionSchema>;
export type TenantSnapshot = z.infer<typeof tenantSnapshotSchema>;
export type Snapshot = z.infer<typeof snapshotSchema>;

/**
 * Reads the JSON text of a snapshot for a platform at `origin`.
 *
 * @example
 * const json = JSON.stringify(before.snapshot());
 * const platform = createPlatform({ origin, snapshot: parseSnapshot(json, origin) });
 *
 * @throws SnapshotError `SNAPSHOT_INVALID`, `SNAPSHOT_ORIGIN_DIFFERENT`
 */
export function parseSnapshot(text: string, origin: string): Snapshot {
  const parsed = snapshotSchema.safeParse(parseJson(text), { error: plainWords });
  if (!parsed.success) {
    throw new SnapshotError('SNAPSHOT_INVALID', describeIssues(parsed.error));
  }
  if (parsed.data.origin === origin) return parsed.data;
  const message = `It belongs to ${parsed.data.origin}, and this is ${origin}`;
  throw new SnapshotError('SNAPSHOT_ORIGIN_DIFFERENT', message);
}

/** The engine's own message would quote the text, which contains secrets. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SnapshotError('SNAPSHOT_INVALID', 'It is not JSON');
  }
}

export function emptySnapshot(origin: string): Snapshot {
  return {
    version: 1,
    origin,
    signingKeyPem: null,
    formerSigningKeyPems: [],
    sessions: [],
    tenants: [],
    exchanges: [],
  };
}

/** The tenant's part of `snapshot`; added if it is missing. */
export function tenantPart(snapshot: Snapshot, tenantId: string): TenantSnapshot {
  const known = snapshot.tenants.find((each) => each.tenantId === tenantId);
  if (known) return known;
  const part: TenantSnapshot = {
    tenantId,
    users: [],
    lab: {
      clockOffsetSeconds: 0,
      ...strictRules,
      forms: { ...defaultForms },
    },
    installations: [],
    clients: [],
    notifications: [],
  };
  snapshot.tenants.push(part);
  return part;
}
