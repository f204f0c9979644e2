/** A back end whose hooks write each call to a file. They kill their process if another file says so. */
import { appendFileSync, existsSync } from 'node:fs';
import { createNotification, createServer, defineHook } from '@dowel/server';

const file = process.env.PROOF_HOOK_FILE ?? '';

const hooks = defineHook(
  ['installed', 'instanceAdded', 'uninstalled'],
  ({ event, id, sequence, attempt, installation }) => {
    const { pluginId } = installation;
    appendFileSync(file, `${JSON.stringify({ event, id, sequence, attempt, pluginId })}\n`);
    if (existsSync(`${file}.kills`)) process.kill(process.pid, 'SIGKILL');
  },
);

const server = createServer({ operations: { createNotification }, hooks });
await server.start();
process.send?.({ type: 'ready' });
await server.closed;
process.exit(0);
