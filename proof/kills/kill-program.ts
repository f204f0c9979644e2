/** A back end whose hooks write each call to a file, and which tells a page who calls. */
import { appendFileSync } from 'node:fs';
import { createNotification, createServer, defineHook, defineOperation } from '@dowel/server';
import { z } from 'zod';

const describeCaller = defineOperation({
  input: z.object({}),
  output: z.object({ name: z.string().optional(), config: z.string() }),
  run: async ({ user: { name }, config }) => ({ name, config: JSON.stringify(config) }),
});

const hooks = defineHook(
  ['installed', 'instanceAdded', 'uninstalled'],
  ({ event, id, sequence, attempt, installation }) => {
    const { pluginId } = installation;
    const call = JSON.stringify({ event, id, sequence, attempt, pluginId });
    appendFileSync(process.env.PROOF_HOOK_FILE ?? '', `${call}\n`);
  },
);

const server = createServer({ operations: { createNotification, describeCaller }, hooks });
await server.start();
process.send?.({ type: 'ready' });
await server.closed;
process.exit(0);
