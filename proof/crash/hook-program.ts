/** A back end whose hooks write each call to a file. Other files make the hooks kill their process, or park. */
import { appendFileSync, existsSync } from 'node:fs';
import { createNotification, createServer, defineHook, ParkHook } from '@dowel/server';

const file = process.env.PROOF_HOOK_FILE ?? '';

const hooks = defineHook(
  ['installed', 'instanceAdded', 'uninstalled'],
  ({ event, id, sequence, attempt, installation }) => {
    const { pluginId } = installation;
    appendFileSync(file, `${JSON.stringify({ event, id, sequence, attempt, pluginId })}\n`);
    if (existsSync(`${file}.kills`)) process.kill(process.pid, 'SIGKILL');
    if (existsSync(`${file}.parks`)) throw new ParkHook('A file says so');
  },
);

const server = createServer({ operations: { createNotification }, hooks });
await server.start();
process.send?.({ type: 'ready' });
await server.closed;
process.exit(0);
