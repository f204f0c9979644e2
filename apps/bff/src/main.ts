/** The sample plug-in's back end. A failed start prints its reason in one line. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dashboardDirectory } from '@dowel/dashboard';
import { createServer, ServerClosedError, type SignInLink } from '@dowel/server';
import { operations } from './operations.ts';
import { announceReady, announceWaiting, describeEvents } from './start-announcement.ts';
import { assertSafeStart, ignoreInspectorSignal, readStart } from './start-guard.ts';

const pluginPages = fileURLToPath(new URL('../../plugin/dist', import.meta.url));
const isPageBuilt = existsSync(`${pluginPages}/index.html`);

async function main(): Promise<void> {
  // Files that this process creates are readable by their owner only, under any umask of the shell.
  process.umask(0o077);
  let tellOfSignal = () => {};
  ignoreInspectorSignal(() => tellOfSignal());
  assertSafeStart(readStart());

  let signIn: SignInLink | undefined;
  const server = createServer({
    operations,
    // In a clone nothing may be built yet, and the rest works without the page.
    ...(isPageBuilt && { frontend: { directory: pluginPages } }),
    dashboard: {
      directory: dashboardDirectory,
      // In production, standard error is collected too.
      ...(process.env.NODE_ENV !== 'production' && {
        onSignInLink(link) {
          signIn = link;
        },
      }),
    },
    observe(observation) {
      if (observation.type === 'database.awaited') announceWaiting(observation.message);
    },
  });
  tellOfSignal = () => server.log.warn('inspector.refused');
  // The last resort: an unhandled rejection must not end all requests.
  process.on('unhandledRejection', (err) => server.log.error({ err }, 'unhandled.rejection'));

  if (!isPageBuilt) server.log.warn(`page.missing: there is no index.html in ${pluginPages}`);
  const { url, port, events, trust, warnings } = await server.start();
  void server.closed.then(() => process.exit(0));
  const eventLines = [
    ...describeEvents(events, process.env.DOWEL_EVENT_PATH),
    ...trust.map((rule) => `Believes events by the rule ${rule}`),
  ];
  announceReady({ type: 'ready', url, port, signIn, eventLines, warnings });
}

main().catch((error: unknown) => {
  // A signal ended the wait for the database.
  if (error instanceof ServerClosedError) process.exit(0);
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
