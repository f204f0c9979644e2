/** The access token of an API call (Spec §5.3). */
import type { Context } from 'koa';
import { type Access, introspect } from './authorization-server/index.ts';
import { PlatformError } from './errors.ts';
import type { TenantState } from './tenant-state.ts';

/** Undefined: there is none, or it is unknown, revoked or expired. */
export function findAccess(
  ctx: Context,
  { authorizationServer, terms }: TenantState,
): Access | undefined {
  const accessToken = readAccessToken(ctx);
  return accessToken ? introspect(authorizationServer, accessToken, terms().now) : undefined;
}

/** @throws PlatformError `ACCESS_TOKEN_INVALID` */
export function requireAccess(ctx: Context, state: TenantState): Access {
  const access = findAccess(ctx, state);
  if (access) return access;
  const error = readAccessToken(ctx) ? ', error="invalid_token"' : '';
  ctx.set('WWW-Authenticate', `Bearer realm="platform"${error}`);
  throw new PlatformError('ACCESS_TOKEN_INVALID', 'The access token is not valid');
}

/** Undefined: the request has no bearer token. */
export function readAccessToken(ctx: Context): string | undefined {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(ctx.get('authorization'))?.[1];
}
