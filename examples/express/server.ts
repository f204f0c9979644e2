/** A site in Express, with a plug-in below /nudge. */
import { createNotification, createServer } from '@dowel/server';
import { mountInExpress } from './mount.ts';

const port = Number(process.env.PORT ?? 4320);
const server = createServer({
  publicUrl: process.env.DOWEL_PUBLIC_URL ?? `http://localhost:${port}/nudge`,
  operations: { createNotification },
});
const host = await mountInExpress(server);
host.listen(port, '127.0.0.1', () =>
  server.log.info({ address: host.address() }, 'plugin.started'),
);

async function stop(): Promise<void> {
  await server.drain();
  host.close();
  await server.close();
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop());
