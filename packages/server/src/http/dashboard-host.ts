/** The dashboard at a host of its own, so that no page of a plug-in has its origin. Row F29 of docs/threats.md. */
import type { Context, Next } from 'koa';
import { ApiError } from '../base/errors.ts';
import { calledEventOf } from './mark-events.ts';

/** Balancers ask any host. */
const ofAllHosts = ['/livez', '/readyz'];

/**
 * Answers 404 for the dashboard at other hosts, and for everything else at its host.
 *
 * @param adminUrl undefined: the dashboard has no host of its own
 */
export function separateDashboard(adminUrl: string | undefined) {
  if (adminUrl === undefined) return (_: Context, next: Next): Promise<void> => next();
  const { protocol, host } = new URL(adminUrl);
  return (ctx: Context, next: Next): Promise<void> => {
    const isHost = URL.parse(`${protocol}//${ctx.host}`)?.host === host;
    if (isHost === isOfDashboard(ctx) || ofAllHosts.includes(ctx.path)) return next();
    throw new ApiError('NOT_FOUND', 'There is nothing at this address');
  };
}

function isOfDashboard(ctx: Context): boolean {
  const { path } = ctx;
  if (path === '/') return calledEventOf(ctx) === undefined;
  return path === '/admin' || path.startsWith('/admin/');
}
