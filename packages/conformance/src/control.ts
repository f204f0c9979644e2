/** The first installation. If it fails, nothing else of a back end can be judged. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type InstallationFailedError, maskSecrets } from '@dowel/emulator';
import { Finding } from './check.ts';
import type { Interruption } from './interruption.ts';
import type { Trial } from './world/trial.ts';
import type { World } from './world/world.ts';

/** The platform waits for 30 s. A person does not. */
const limitSeconds = 10;

/** Resolves with the reason why the installation failed, in one or two sentences. Null: it worked. */
export async function tryInstallation(
  trial: Trial,
  { ended }: Interruption,
): Promise<string | null> {
  const late = sleep(limitSeconds * 1000, undefined, { ref: false });
  const installed = await Promise.race([trial.install().catch(toReason), late, ended]);
  if (typeof installed === 'string') return installed;
  if (!installed) {
    const event = trial.exchanges('event').at(-1)?.event ?? 'the first event';
    return `The back end did not answer ${event} within ${limitSeconds} s.`;
  }
  return installed.failure && explainFailure(installed.failure, trial.world);
}

/** Of a `Finding`, which decides nothing. */
function toReason(error: unknown): string {
  if (error instanceof Finding) return asSentence(maskSecrets(error.message));
  throw error;
}

/** Some messages are sentences already. */
export const asSentence = (text: string): string => text.replace(/\.?$/, '.');

function explainFailure({ message }: InstallationFailedError, world: World): string {
  const reason = asSentence(`The first installation failed: ${maskSecrets(message)}`);
  if (world.platform.exchanges({ kind: 'key' }).length > 0) return reason;
  const keys = `${world.origin}/certificates/`;
  return `${reason} Does the back end trust keys of ${keys}? It has loaded none. A back end of Dowel needs DOWEL_TRUST=${world.origin}=${keys}`;
}
