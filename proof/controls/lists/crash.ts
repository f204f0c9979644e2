/** Controls that keep tokens and secrets safe when the process is killed: faults K and P of docs/threats.md. */
import { type Control, controlsOf } from '../control.ts';

const store = 'packages/installation-store/src';

export const controls: Control[] = [
  ...controlsOf(
    `${store}/stores/exchange-intent.ts`,
    [`proof/kills/protocols.test.ts`],
    [['K4', 'await settleHealing(context, installation.id);']],
  ),
  ...controlsOf(
    `${store}/open-store.ts`,
    [`proof/kills/protocols.test.ts`],
    [['K8', 'if (engine.wasLeftOpen) engine.erased();']],
  ),
  ...controlsOf(
    'packages/server/src/start-server.ts',
    [`packages/server/src/drain.test.ts`],
    [
      ['P1', "['SIGINT', 'SIGTERM', 'disconnect']", "['SIGINT', 'disconnect']"],
      ['P1', 'graceMs: stopGraceMs });', 'graceMs: 0 });'],
    ],
  ),
  ...controlsOf(
    'packages/http/src/drain-server.ts',
    ['packages/http/src/drain-server.test.ts'],
    [
      ['P1', 'if (isDraining) response.shouldKeepAlive = false;'],
      ['P1', 'for (const { underWay } of connections.values()) closeAfterLast(underWay);'],
      ['P1', 'const last = underWay.at(-1);', 'const [last] = underWay;'],
      ['P1', 'await sleep(listenMs);'],
      ['P1', 'await waitForQuiet(watched);'],
      ['P1', 'TcpServer.prototype.close.call(server);', 'server.close();'],
      ['P1', 'sleep(sweepMs);\n    await readWhatHasArrived();', 'sleep(sweepMs);'],
      ['P1', 'if (connection.underWay.length > 0 || !socket.writable) return;'],
      ['P1', ' && now - closedAt < idleMs'],
      ['P1', 'if (now - connection.endedAt > closeMs) socket.destroy();'],
      ['P1', 'server.closeAllConnections();', '{}'],
    ],
  ),
  ...controlsOf(
    'packages/server/src/close-server.ts',
    ['packages/server/src/create-server.test.ts'],
    [['P3', 'opened?.app.announceStop();']],
  ),
  ...controlsOf(
    'packages/server/src/background.ts',
    ['apps/bff/src/lost-database.test.ts'],
    [['D8', 'void app.checkDatabase()', 'undefined']],
  ),
  ...controlsOf(
    `${store}/sqlite/sqlite-files.ts`,
    ['apps/bff/src/read-only-database.test.ts'],
    [['D8', '  assertWritable(path);\n']],
  ),
  ...controlsOf(
    'packages/server/src/database-state.ts',
    ['packages/server/src/http/health-routes.test.ts'],
    [
      ['D8', 'if (database.isBeingChecked) return;'],
      ['D8', 'if (wasAvailable) logger.error', 'logger.error'],
    ],
  ),
];
