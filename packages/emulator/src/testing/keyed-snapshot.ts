import { generateKeyPairSync } from 'node:crypto';
import { emptySnapshot, type Snapshot } from '../snapshot.ts';

const signingKeyPem = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

/** For a platform where nothing is installed. All have one key, because to make one takes 40 ms of CPU time. */
export function keyedSnapshot(origin: string): Snapshot {
  return { ...emptySnapshot(origin), signingKeyPem };
}
