/** Work that no user asked for: a reminder in every tenant, from a timer. */
import { PlatformError, type Server } from '@dowel/server';

/** @returns the number of sent reminders. */
export async function remindEverybody(server: Server, recipientEmail: string): Promise<number> {
  let sent = 0;
  for await (const installation of server.installations.list({ status: 'active' })) {
    for await (const instanceId of server.installations.instanceIds(installation.id)) {
      const message = 'The poll ends today';
      try {
        await server.notify({ installation, instanceId }, { recipientEmail, message });
        sent += 1;
      } catch (error) {
        // An error in one tenant must not stop the reminders of the others.
        if (!(error instanceof PlatformError)) throw error;
        server.log.warn({ installationId: installation.id, code: error.code }, 'reminder.failed');
      }
    }
  }
  return sent;
}
