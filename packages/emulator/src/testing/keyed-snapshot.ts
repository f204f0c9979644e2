import { generateKeyPairSync } from 'node:crypto';
import { emptySnapshot, type Snapshot } from '../snapshot.ts';

const signingKeyPem = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

/** A snapshot without installations. All share one key: creating one takes 40 ms of CPU time. */
export function keyedSnapshot(origin: string): Snapshot {
  return { ...emptySnapshot(origin), signingKeyPem };
}
