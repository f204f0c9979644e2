/** The back end of the poll. It also serves the page built by `npm run build`. */
import { createServer } from '@dowel/server';
import { operations } from './operations.ts';

const port = Number(process.env.PORT ?? 4320);
const server = createServer({ port, operations, frontend: { directory: 'dist' } });
const { url } = await server.start();
server.log.info({ url }, 'plugin.started');
