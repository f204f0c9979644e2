/** The back end of the server's README, with one operation. `plug-ins.test.ts` runs it. */
import { createServer, defineOperation } from '@dowel/server';
import { z } from 'zod';

const votes = new Map<string, string>();

const vote = defineOperation({
  input: z.object({ choice: z.string().max(80) }),
  output: z.object({ votes: z.int() }),
  errors: { ALREADY_VOTED: 409 },
  run({ input, user, installation, fail }) {
    const voter = `${installation.lifeId} ${user.id}`;
    if (votes.has(voter)) return fail('ALREADY_VOTED', 'You have voted already');
    votes.set(voter, input.choice);
    return { votes: votes.size };
  },
});

export const operations = { vote };

const server = createServer({ operations });
const { url } = await server.start();
server.log.info({ url }, 'plugin.started');
