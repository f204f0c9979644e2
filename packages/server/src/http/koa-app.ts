/** The Koa application. A request passes its middleware from top to bottom. */
import type Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { keepCallsFromPages } from '../dashboard/dashboard-pages.ts';
import type { EventContext } from '../events/answer-event.ts';
import type { Log } from '../log/log.ts';
import { hasReader } from '../request/answer-state.ts';
import { allowPages } from '../request/cross-origin.ts';
import { answerErrors, answerFaults } from './answer-errors.ts';
import { createAnswerHeaders } from './answer-headers.ts';
import { separateDashboard } from './dashboard-host.ts';
import { answerEvents } from './event-routes.ts';
import { type EventReceiver, markEvents } from './mark-events.ts';
import { answerCalls, listCalls, type PluginRoutesContext } from './plugin-routes.ts';
import { logRequests, logStreamFault } from './request-log.ts';

export interface KoaAppOptions {
  publicUrl: string;
  /** The URL of the dashboard, if it has a host of its own. */
  ownAdminUrl?: string | undefined;
  logger: Log;
  /** Reverse proxies in front whose X-Forwarded-For is believed. */
  proxyHops: number;
  receivers: readonly (EventReceiver & EventContext & PluginRoutesContext)[];
  /** Own routes of users, and calls of the dashboard. */
  calls: readonly Router[];
  /** Pages and health routes. */
  open: readonly Router[];
}

/** A path may be a pattern, such as `/admin/api/fleet/installations/:id`. */
export interface Route {
  method: string;
  path: string;
}

/** Creates the application. Errors of any route are answered in JSON. */
export function createKoaApp(options: KoaAppOptions): Koa {
  const { publicUrl, logger, proxyHops, receivers, calls, open } = options;
  const headers = createAnswerHeaders(publicUrl);
  const app = new Koa({ proxy: proxyHops > 0, maxIpsCount: proxyHops });
  app.on('error', (error, ctx) => logStreamFault(logger, error, ctx));
  answerFaults(app, headers);
  // Koa's own looks at the socket.
  Object.defineProperty(app.response, 'writable', {
    get(this: Koa.Response) {
      return !this.res.writableEnded && hasReader(this.res);
    },
  });
  app.use(setHeaders(headers));
  app.use(markEvents(receivers));
  app.use(logRequests(logger));
  app.use(answerErrors(logger));
  if (proxyHops === 0) app.use(warnOfUnknownProxy(logger));
  app.use(separateDashboard(options.ownAdminUrl));
  app.use(answerEvents);
  app.use(allowPages(receivers));
  app.use(answerCalls(receivers));
  for (const router of calls) useRouter(app, router);
  app.use(keepCallsFromPages);
  for (const router of open) useRouter(app, router);
  return app;
}

function useRouter(app: Koa, router: Router): void {
  app.use(router.routes());
  app.use(router.allowedMethods());
}

export function listRoutes({
  receivers,
  calls,
  open,
}: Pick<KoaAppOptions, 'receivers' | 'calls' | 'open'>): Route[] {
  const ofPages = receivers.flatMap((receiver) => [...listCalls(receiver).keys()]);
  const ofRouters = [...calls, ...open].flatMap(({ stack }) =>
    stack.flatMap(({ methods, path }) => methods.map((method) => ({ method, path: String(path) }))),
  );
  return [...ofPages.map((path) => ({ method: 'POST', path })), ...ofRouters];
}

/** Sets the headers of every answer; pages override some of them. */
function setHeaders(headers: Record<string, string>) {
  const all = Object.entries(headers);
  return ({ res, headerSent }: Context, next: Next): Promise<void> => {
    // A host's own time-out may have answered already.
    if (!headerSent) for (const [name, value] of all) res.setHeader(name, value);
    return next();
  };
}

/**
 * Behind a proxy that is not configured, all senders share one address, so one stranger can exhaust the limit of all.
 */
function warnOfUnknownProxy(logger: Log) {
  let hasWarned = false;
  return (ctx: Context, next: Next): Promise<void> => {
    if (!hasWarned && ctx.get('X-Forwarded-For') !== '') {
      hasWarned = true;
      logger.warn(
        'X-Forwarded-For was seen: behind a reverse proxy, set DOWEL_PROXY_HOPS or the option proxyHops',
      );
    }
    return next();
  };
}
