/** Reminds a colleague once a day, in one of all processes. */
import { createServer } from '@dowel/server';
import { remindEverybody } from './remind-everybody.ts';

const port = Number(process.env.PORT ?? 4320);
const everyMs = Number(process.env.REMIND_EVERY_MS ?? 86_400_000);
const recipientEmail = process.env.REMIND_EMAIL ?? 'jonas.weber@acme.example';

const server = createServer({ port });
const { url } = await server.start();
server.log.info({ url }, 'plugin.started');

/** A restart causes no early reminder: the time of the last run is stored in the database. */
async function remind(): Promise<void> {
  const turn = { name: 'remind', everyMs };
  await server.runOnce(turn, async () => {
    const sent = await remindEverybody(server, recipientEmail);
    server.log.info({ sent }, 'reminders.sent');
  });
}

const timer = setInterval(() => {
  remind().catch((err: unknown) => server.log.error({ err }, 'reminders.failed'));
}, everyMs / 10);
void server.closed.then(() => clearInterval(timer));
