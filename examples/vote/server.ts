/** Starts the back end of the poll: `node examples/vote/server.ts`. */
import { createServer } from '@dowel/server';
import { operations } from './operations.ts';

const server = createServer({ operations });
const { url } = await server.start();
server.log.info({ url }, 'poll.started');
