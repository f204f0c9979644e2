/** A back end whose hooks write each call to a file. They kill their process if the file says so. */
import { appendFileSync, existsSync } from 'node:fs';
import { createNotification, defineHook } from '@dowel/server';
import { runProgram } from '@dowel/server/program';

const file = process.env.PROOF_HOOK_FILE ?? '';

const hooks = defineHook(
  ['installed', 'instanceAdded', 'uninstalled'],
  ({ event, id, sequence, attempt, installation }) => {
    const { pluginId } = installation;
    appendFileSync(file, `${JSON.stringify({ event, id, sequence, attempt, pluginId })}\n`);
    if (existsSync(`${file}.kills`)) process.kill(process.pid, 'SIGKILL');
  },
);

await runProgram({
  pages: { plugin: import.meta.dirname, admin: import.meta.dirname },
  operations: { createNotification },
  hooks,
});
