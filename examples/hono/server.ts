/** An application in Hono, with a plug-in below /questions: an operation, and a hook. */
import { createServer, defineOperation } from '@dowel/server';
import { z } from 'zod';
import { mountInHono } from './mount.ts';

const port = Number(process.env.PORT ?? 4320);
const publicUrl = process.env.DOWEL_PUBLIC_URL ?? `http://localhost:${port}/questions`;
const server = createServer({
  publicUrl,
  operations: {
    ask: defineOperation({
      summary: 'Asks a colleague a question.',
      input: z.object({ email: z.email(), question: z.string().trim().endsWith('?').max(80) }),
      output: z.object({}),
      scopes: ['plugin:notify'],
      async run({ input, platform }) {
        await platform.notify({ recipientEmail: input.email, message: input.question });
        return {};
      },
    }),
  },
  hooks: {
    instanceAdded: ({ log, data }) => log.info(data, 'widget.placed'),
  },
});
const host = await mountInHono(server, new URL(publicUrl).pathname.replace(/\/$/, ''));
host.listen(port, '127.0.0.1', () =>
  server.log.info({ address: host.address() }, 'plugin.started'),
);

async function stop(): Promise<void> {
  await server.drain();
  host.close();
  await server.close();
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop());
