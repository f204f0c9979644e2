import { createLunchServer } from './lunch.js';

const server = createLunchServer();
const { url } = await server.start();
server.log.info({ url }, 'plugin.started');
