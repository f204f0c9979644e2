/** The server of one or several plug-ins: a list of bindings over its context. */

import {
  getInstallation,
  listInstallations,
  listInstanceIds,
  listParkedHooks,
} from './app/server-lists.ts';
import { readNotifyOptions } from './platform/notify.ts';
import { createServerPlatform, notifyFromServer } from './platform/server-platform.ts';
import { closeServer, drainServer, readGrace } from './process/close-server.ts';
import { openServer } from './process/open-server.ts';
import { ServerClosedError } from './process/server-closed-error.ts';
import {
  createCallback,
  createServerContext,
  openedOf,
  storeOf,
} from './process/server-context.ts';
import { startServer } from './process/start-server.ts';
import { runTurn } from './process/turns.ts';
import type { Server, ServerOptions } from './server-options.ts';

/**
 * Creates the back end of a plug-in, or of several. It receives the platform's events, keeps the tokens, opens
 * sessions and answers the page's calls (Spec §3, §4). Does no I/O: `open` or `start` begins.
 *
 * @example
 * const trust = `${platformUrl}=${platformUrl}/certificates/`;
 * const server = createServer({ manifest, trust, ...rest });
 * const { url } = await server.start();
 *
 * @param options see {@link CommonOptions} and {@link PluginOptions}. An option wins over its variable
 *   `DOWEL_…`, which wins over the default.
 * @throws TypeError for an option that is not known or not what it must be, and for a plug-in's name or a route
 *   that is malformed, registered twice, or the server's own.
 */
export function createServer(options: ServerOptions): Server {
  const context = createServerContext(options);
  const close = () => closeServer(context);
  return {
    open: () => openServer(context),
    start() {
      if (context.closing) return Promise.reject(new ServerClosedError());
      context.starting ??= startServer(context).catch((error: unknown) => {
        context.starting = undefined;
        throw error;
      });
      return context.starting;
    },
    drain: async (options) => drainServer(context, readGrace(options)),
    close,
    closed: context.closed.promise,
    log: context.log,
    callback: () => createCallback(context),
    isReady: () => !context.handler.isDraining && context.opened?.app.isReady() === true,
    installations: {
      list: (query = {}) => listInstallations(storeOf(context), query),
      get: async (id) => getInstallation(storeOf(context), id),
      instanceIds: (id) => listInstanceIds(storeOf(context), id),
    },
    platform: (choice) => createServerPlatform(openedOf(context).app.platformContext, choice),
    notify: async (from, notification, options) =>
      notifyFromServer(openedOf(context).app.platformContext, from, {
        ...readNotifyOptions(options),
        notification,
      }),
    hooks: {
      parked: (query = {}) => listParkedHooks(storeOf(context), query),
      replay: async (id) => storeOf(context).hooks.replay(id),
      runDue: async () => openedOf(context).app.hooks.runDue(),
    },
    runOnce: async (turn, work) =>
      runTurn({ ...openedOf(context), turns: context.turns }, turn, work),
    [Symbol.asyncDispose]: close,
  };
}
