/** The two steps of a sign-in at an identity provider. The browser opens both as pages, so each ends in a redirect. */
import type { Context } from 'koa';
import { z } from 'zod';
import { ApiError } from '../base/errors.ts';
import { type AdminRoute, openRoute } from './admin-route.ts';
import type { SenderCounters } from './failure-limits.ts';
import { limitReturn, limitStart } from './oidc-limits.ts';
import { beginSignIn, finishSignIn, OidcError, type OidcProvider } from './oidc-provider.ts';
import {
  type DashboardCookie,
  describeCookie,
  readCookie,
  type SignInContext,
  signIn,
} from './operator-session.ts';

/** Long enough for a person who must fetch a phone first. */
const pendingSeconds = 10 * 60;
const here = 'http://dashboard.invalid';
const maxReturnLength = 500;

export interface OidcRoutesContext extends SignInContext {
  /** Undefined: none is configured. */
  oidc: OidcProvider | undefined;
  /** Failed attempts at this process. */
  oidcFailures: SenderCounters;
  /** Without a slash at its end; may have a path. */
  adminUrl: string;
}

/** The cookie's content while the person signs in at the provider. */
const keptSignInSchema = z.object({
  state: z.string().min(1),
  nonce: z.string().min(1),
  codeVerifier: z.string().min(1),
  /** The requested page of the dashboard. */
  returnTo: z.string().transform(parseReturnTo),
});
type KeptSignIn = z.infer<typeof keptSignInSchema>;

export function listOidcRoutes(context: OidcRoutesContext): AdminRoute[] {
  return [
    openRoute('GET /session/oidc', {
      summary: 'Redirects the browser to the identity provider',
      status: 303,
      handle: ({ ctx }) => redirect(context, ctx, (oidc) => leaveForProvider(context, ctx, oidc)),
    }),
    openRoute('GET /session/oidc/callback', {
      summary: 'Where the identity provider sends the browser back',
      status: 303,
      isReturn: true,
      handle: ({ ctx }) => redirect(context, ctx, (oidc) => returnFromProvider(context, ctx, oidc)),
    }),
  ];
}

async function leaveForProvider(
  context: OidcRoutesContext,
  ctx: Context,
  oidc: OidcProvider,
): Promise<string | OidcError> {
  const begun = await limitStart(context.oidcFailures, ctx.ip, () => beginSignIn(oidc));
  if (begun instanceof OidcError) return begun;
  keepSignIn(context, ctx, { ...begun.pending, returnTo: parseReturnTo(ctx.query.returnTo) });
  return begun.url.href;
}

async function returnFromProvider(
  context: OidcRoutesContext,
  ctx: Context,
  oidc: OidcProvider,
): Promise<string | OidcError> {
  const kept = takeSignIn(context, ctx);
  if (kept instanceof OidcError) return kept;
  const finish = () => finishSignIn(oidc, ctx.querystring, kept);
  const found = await limitReturn(context.oidcFailures, ctx.ip, finish);
  if (found instanceof OidcError) return found;
  await signIn(context, ctx, { ...found, accountRevision: null });
  return `${context.adminUrl}/admin${kept.returnTo}`;
}

/** @param step returns where the browser goes next; a refusal leads to the sign-in page, which explains it */
async function redirect(
  { oidc, adminUrl, logger }: OidcRoutesContext,
  ctx: Context,
  step: (oidc: OidcProvider) => Promise<string | OidcError>,
): Promise<void> {
  if (!oidc) throw new ApiError('NOT_FOUND', 'No identity provider is configured');
  ctx.set('Cache-Control', 'no-store');
  const next = await step(oidc);
  if (typeof next === 'string') {
    ctx.set('Location', next);
    return;
  }
  const { refusal, message } = next;
  const reason = { method: 'oidc', refusal, detail: message, address: ctx.ip };
  logger.warn(reason, 'operator.sign_in_refused');
  ctx.set('Location', `${adminUrl}/admin/sign-in?refused=${refusal}`);
}

/**
 * The browser brings this cookie along when the provider sends it back, so it is Lax. It holds no secret of ours, and
 * is useless without the provider's code; so any process can take the second step.
 */
function keepSignIn(context: OidcRoutesContext, ctx: Context, kept: KeptSignIn): void {
  const value = Buffer.from(JSON.stringify(kept)).toString('base64url');
  setCookie(context, ctx, value, pendingSeconds);
}

/**
 * An answer to another sign-in leaves this one as it is, asks the provider nothing and counts nothing: any page on the
 * web can send an operator's browser here.
 *
 * @returns the only refusal is `expired`
 */
function takeSignIn(context: OidcRoutesContext, ctx: Context): KeptSignIn | OidcError {
  const kept = readSignIn(context, ctx);
  if (!kept) return new OidcError('expired', 'This browser has begun no sign-in, or too long ago');
  if (new URLSearchParams(ctx.querystring).get('state') !== kept.state) {
    return new OidcError('expired', 'The answer belongs to no sign-in that this browser began');
  }
  setCookie(context, ctx, '', 0);
  return kept;
}

function readSignIn(context: OidcRoutesContext, ctx: Context): KeptSignIn | undefined {
  const text = readCookie(ctx, describeKept(context).name);
  try {
    return keptSignInSchema.parse(JSON.parse(Buffer.from(text ?? '', 'base64url').toString()));
  } catch {
    return undefined;
  }
}

function setCookie(context: OidcRoutesContext, ctx: Context, value: string, seconds: number): void {
  const { name, attributes } = describeKept(context);
  ctx.append('Set-Cookie', `${name}=${value}; ${attributes}; Max-Age=${seconds}`);
}

function describeKept({ adminUrl }: OidcRoutesContext): DashboardCookie {
  return describeCookie(adminUrl, 'dowel_oidc', 'Lax');
}

/** Path and query only, below the dashboard: no text leads to another site. */
function parseReturnTo(given: unknown): string {
  const isShort = typeof given === 'string' && given.length <= maxReturnLength;
  const url = isShort ? URL.parse(given, here) : null;
  return url ? `${url.pathname}${url.search}` : '/';
}
