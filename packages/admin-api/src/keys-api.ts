/**
 * The API of the dashboard's page about keys and trust. No type has a field for a secret: encryption keys have
 * ids, and signature keys are public. Points in time are epoch milliseconds.
 */
import { z } from 'zod';
import { count, pointInTime } from './point-in-time.ts';

/** One key that seals stored secrets. The key itself is nowhere in the API. */
const encryptionKeySchema = z.object({
  /** Eight hex digits of a digest. */
  id: z.string(),
  /**
   * - `active`: the process that answered seals and opens with it.
   * - `next`: that process seals with it after its next start. Until then it only opens.
   * - `old`: it only opens.
   * - `missing`: stored values need it, but the key file does not contain it.
   */
  state: z.enum(['active', 'next', 'old', 'missing']),
  /** How many stored values are sealed with it; null: they are being counted for the first time. */
  values: count.nullable(),
  /** A process has reported within two minutes that it seals with it. */
  isSealing: z.boolean(),
  /** When this database first had it as the active key; null: unknown. */
  since: pointInTime.nullable(),
  /** No stored value and no process needs it. `dowel keys prune` counts once more, and removes it. */
  mayBeRemoved: z.boolean(),
});

/**
 * What an operator does next.
 *
 * - `none`: one key, nothing to do.
 * - `restart`: the processes that started before the rotation still seal with an old key.
 * - `counting`: there is an old key, and its values are being counted for the first time.
 * - `reencrypt`: old keys still protect values.
 * - `prune`: no old key is needed any more.
 * - `restore`: stored values need a key that the key file does not contain.
 */
const rotationStepSchema = z.enum(['none', 'restart', 'counting', 'reencrypt', 'prune', 'restore']);

const encryptionSchema = z.object({
  keys: z.array(encryptionKeySchema),
  step: rotationStepSchema,
  /** How many values are damaged, so that they name no key. */
  unnamedValues: count,
  /** When the newest complete count ended; null: there is none yet. */
  countedAt: pointInTime.nullable(),
  /** How many rows a count under way has read; null: none is under way. */
  counting: z.object({ rows: count }).nullable(),
});

/** A public key that may sign events. */
const signatureKeySchema = z.object({
  kid: z.string().nullable(),
  algorithm: z.string(),
  bits: count,
  /** SHA-256 of its SubjectPublicKeyInfo, in hex. */
  fingerprint: z.string(),
});

const fetchFailureSchema = z
  .object({
    /** A reason of docs/errors.md. */
    reason: z.string(),
    at: pointInTime,
  })
  .nullable();

/** Whose JWTs are accepted, and with which keys. */
const trustRuleSchema = z.object({
  /** `*`, `https://*.example.com`, or an origin. */
  issuer: z.string(),
  /** The URL below which the keys are; null for pinned keys. */
  location: z.string().nullable(),
  /** The keys of a file, at most 20; null for a location. */
  pinned: z.array(signatureKeySchema).nullable(),
  /** The newest fetch by this process; null: none yet. */
  fetchedAt: pointInTime.nullable(),
  /** Until then the keys of that fetch are used even if the location does not answer. */
  usableUntil: pointInTime.nullable(),
  /** The latest failed fetch that no answer has followed. */
  failure: fetchFailureSchema,
});

/** A key location from which this process has requested keys. */
const keyLocationSchema = z.object({
  /** At most 300 characters. */
  location: z.string(),
  /** A key of it has verified a signature. Strangers can name locations that have not. */
  isProven: z.boolean(),
  /** At most 20. */
  keys: z.array(signatureKeySchema),
  fetchedAt: pointInTime.nullable(),
  /** The first JWT from then on fetches the keys again. */
  freshUntil: pointInTime.nullable(),
  /** Until then they are used even if the location does not answer. */
  usableUntil: pointInTime.nullable(),
  failure: fetchFailureSchema,
});

/** `GET /admin/api/keys` */
export const keysSchema = z.object({
  /** The server's clock. */
  now: pointInTime,
  encryption: encryptionSchema,
  rules: z.array(trustRuleSchema),
  /** Each process has its own cache: this is the one that answered. */
  process: z.object({ pid: z.int(), startedAt: pointInTime }),
  /** Proven ones first, then those with the latest fetch; at most 100. */
  locations: z.array(keyLocationSchema),
  /** How many more locations there are. */
  hiddenLocations: count,
});

export type EncryptionKey = z.infer<typeof encryptionKeySchema>;
export type RotationStep = z.infer<typeof rotationStepSchema>;
export type SignatureKey = z.infer<typeof signatureKeySchema>;
export type TrustRuleEntry = z.infer<typeof trustRuleSchema>;
export type KeyLocationEntry = z.infer<typeof keyLocationSchema>;
export type Keys = z.infer<typeof keysSchema>;
