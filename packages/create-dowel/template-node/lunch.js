/** A plug-in in plain JavaScript: it asks a colleague what is for lunch, wherever it is placed. */
import { fileURLToPath } from 'node:url';
import { createServer } from '@dowel/server';

const recipientEmail = process.env.LUNCH_EMAIL ?? 'jonas.weber@acme.example';

/** Returns the back end. `options` are for tests. */
export function createLunchServer(options = {}) {
  const server = createServer({
    ...options,
    frontend: { directory: fileURLToPath(new URL('page', import.meta.url)) },
    hooks: {
      async instanceAdded({ installation, data: { instanceId } }) {
        const messages = {
          en: 'What is for lunch? Vote!',
          de: 'Was gibt es zum Mittagessen? Stimmen Sie ab!',
        };
        await server.notify({ installation, instanceId }, { recipientEmail, messages });
      },
    },
  });
  return server;
}
