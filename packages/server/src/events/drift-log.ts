/**
 * Logs once per process which members of events the schema does not know or the platform spells otherwise than the
 * specification: their places and types, never values. An unknown name may be a secret or private text. So the log contains its fingerprint under a
 * random key of this process, which is enough to distinguish members.
 */
import { createHmac, randomBytes } from 'node:crypto';
import {
  describeDrift,
  type LifecycleEvent,
  lifecycleEventSchemas,
  type Respelling,
  type UnknownMember,
} from '@dowel/schema';
import type { Log } from '../log/log.ts';

/** Events with many different names cannot fill the memory. */
const maxKnown = 500;
const fingerprintLength = 8;

export type DriftLog = ReturnType<typeof createDriftLog>;

/** Creates the log of this process, which has logged nothing yet. */
export function createDriftLog(logger: Log) {
  const known = new Set<string>();
  const key = randomBytes(32);

  const fingerprintOf = (name: string) =>
    createHmac('sha256', key).update(name).digest('hex').slice(0, fingerprintLength);

  const isNew = (member: string) => {
    if (known.has(member) || known.size >= maxKnown) return false;
    known.add(member);
    return true;
  };

  return {
    /** @returns what the schema of the event does not know, without the names, and what is spelled otherwise. */
    add(event: LifecycleEvent, respelled: readonly Respelling[]): UnknownMember[] {
      const drift = describeDrift(lifecycleEventSchemas[event.sub], event);
      for (const { pointer, name, type } of drift) {
        const nameFingerprint = fingerprintOf(name.reveal());
        if (!isNew(`${event.sub} ${pointer} ${nameFingerprint} ${type}`)) continue;
        const nameLength = name.reveal().length;
        logger.info(
          { event: event.sub, pointer, nameFingerprint, nameLength, type },
          'event.drift',
        );
      }
      for (const { pointer, type } of respelled) {
        if (!isNew(`${event.sub} ${pointer} ${type}`)) continue;
        logger.info({ event: event.sub, pointer, type }, 'event.drift');
      }
      return [...drift.map(({ pointer, type }) => ({ pointer, type })), ...respelled];
    },
  };
}
