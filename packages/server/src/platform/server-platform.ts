/** The platform for work that no user asked for, such as a timer, a queue or an own route. */
import type { NotificationRequest } from '@dowel/schema';
import { isStoreAway } from '../base/errors.ts';
import { assertObject, assertText } from '../base/option-shapes.ts';
import { PlatformError } from '../base/platform-error.ts';
import { bindPlatform, overloaded, type Platform } from './call-platform.ts';
import type { CalledInstallation } from './create-platform.ts';
import { type NotifyContext, type NotifyOptions, notify } from './notify.ts';

/** An id means the current generation; an installation means its own generation only. */
export type InstallationChoice = string | CalledInstallation;

/** The widget that a notification comes from. */
export interface NotificationOrigin {
  installation: InstallationChoice;
  instanceId: string;
}

/** @throws TypeError for a value that is neither an installation nor an id */
export function createServerPlatform(context: NotifyContext, choice: InstallationChoice): Platform {
  assertChoice('The installation of platform', choice);
  const target =
    typeof choice === 'string'
      ? { installationId: choice, generation: undefined }
      : { installationId: choice.id, generation: choice.generation };
  return bindPlatform(context, target);
}

/** @throws PlatformError, also `INSTALLATION_ENDED` for an id that is not known; TypeError */
export async function notifyFromServer(
  context: NotifyContext,
  origin: NotificationOrigin,
  { notification, signal }: { notification: NotificationRequest } & NotifyOptions,
): Promise<void> {
  assertOrigin(origin);
  const { installation: choice, instanceId } = origin;
  const found = typeof choice === 'string' ? await findInstallation(context, choice) : choice;
  if (!found) throw unknownInstallation(String(choice));
  const { id: installationId, generation, pluginId } = found;
  const source = { installationId, generation, pluginId, instanceId };
  await notify(context, source, { notification, scope: { signal } });
}

async function findInstallation({ store }: NotifyContext, id: string) {
  try {
    return await store.installations.get(id);
  } catch (error) {
    throw isStoreAway(error) ? overloaded(error) : error;
  }
}

function unknownInstallation(id: string): PlatformError {
  const installation = { id, generation: undefined };
  return new PlatformError('INSTALLATION_ENDED', 'There is no such installation', { installation });
}

function assertOrigin(origin: unknown): asserts origin is NotificationOrigin {
  assertObject('The origin of notify', origin);
  assertChoice('The installation of notify', origin.installation);
  assertText('The instanceId of notify', origin.instanceId ?? null);
}

function assertChoice(name: string, choice: unknown): asserts choice is InstallationChoice {
  const id = typeof choice === 'object' && choice !== null && 'id' in choice ? choice.id : choice;
  if (typeof id === 'string' && id !== '') return;
  throw new TypeError(`${name} must be an installation or its id`);
}
