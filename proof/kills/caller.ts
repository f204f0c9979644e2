/** A process with its own store and token client, on a database that others use too. Makes calls when its parent asks. */
import { createKeyring, openStore } from '@dowel/installation-store';
import type { TestDatabase } from '@dowel/installation-store/testing';
import type { AccessTokenEventPayload } from '@dowel/schema';
import { createTokenClient } from '@dowel/token-client';
import { receiveEvent } from '@dowel/token-client/testing';
import { makeCalls } from './make-calls.ts';

export interface CallerSetup {
  location: TestDatabase['location'];
  /** 32 bytes in base64. */
  key: string;
  /** The platform's origins, on loopback. */
  internalOrigins: string[];
}

export type CallerCommand =
  | { type: 'calls'; installationId: string; count: number }
  | { type: 'event'; event: AccessTokenEventPayload };

/** Long time limits, because a busy machine needs long for thousands of calls: the tests count calls, not time. */
export const patience = {
  callTimeoutMs: 500_000,
  waitMs: 500_000,
  attemptTimeoutMs: 49_000,
  repeatTimeoutMs: 49_000,
  leaseMs: 55_000,
};

const { location, key, internalOrigins }: CallerSetup = JSON.parse(process.argv[2] ?? '');
const store = await openStore({ ...location, keyring: createKeyring(Buffer.from(key, 'base64')) });
const client = createTokenClient({ store, policy: patience, internalOrigins });

process.on('message', async (command: CallerCommand) => {
  const result =
    command.type === 'calls'
      ? await makeCalls(client, command.installationId, command.count)
      : await receiveEvent(store, client, command.event);
  process.send?.({ result });
});
process.on('disconnect', () => process.exit());
process.send?.({ result: 'ready' });
