/** An application in Fastify, with a plug-in below /praise. */
import { createServer } from '@dowel/server';
import { mountInFastify } from './mount.ts';
import { operations } from './operations.ts';

const port = Number(process.env.PORT ?? 4320);
const publicUrl = process.env.DOWEL_PUBLIC_URL ?? `http://localhost:${port}/praise`;
const server = createServer({ publicUrl, operations });
const app = await mountInFastify(server, new URL(publicUrl).pathname);
await app.listen({ port, host: '127.0.0.1' });
server.log.info({ address: app.server.address() }, 'plugin.started');

async function stop(): Promise<void> {
  await server.drain();
  // Not the HTTP server alone: the application's own onClose hooks run, too.
  await app.close();
  await server.close();
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop());
