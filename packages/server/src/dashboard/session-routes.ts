/** Signing in and out, and the sessions of operators. */
import { isDeepStrictEqual } from 'node:util';
import { type AdminSession, recordAction, type Store } from '@dowel/installation-store';
import {
  endSessionRequestSchema,
  languageRequestSchema,
  passwordSignInRequestSchema,
  type AdminSession as SessionAnswer,
  type SessionList,
  type SignInMethods,
  type SignOutAnswer,
  signInRequestSchema,
} from '@dowel/schema';
import type { Context } from 'koa';
import { failureOf } from '../actions/failure-of.ts';
import { RefusedActionError } from '../actions/refused-action-error.ts';
import { ApiError } from '../errors.ts';
import { readJson } from '../request/read-body.ts';
import { requestOf } from '../request/server-exchange.ts';
import { actorOf } from './action-routes.ts';
import { findSignOutUrl } from './oidc-provider.ts';
import type { OidcRoutesContext } from './oidc-routes.ts';
import { type Operator, operatorOf } from './operator.ts';
import { closeSession, findSession, type SignedIn, signIn } from './operator-session.ts';
import { checkPassword, type PasswordGate } from './password-sign-in.ts';

export interface SessionRoutesContext extends OidcRoutesContext {
  store: Pick<Store, 'sessions' | 'accounts' | 'audit'>;
  passwordGate: PasswordGate;
}

/** `POST /session` */
export async function signInByCode(context: SessionRoutesContext, ctx: Context): Promise<void> {
  const { store, logger, now } = context;
  const { code } = await readJson(requestOf(ctx, logger), signInRequestSchema);
  const redeemed = await store.accounts.redeemSignInCode(code, now());
  if (!redeemed) {
    throw refuse(context, ctx, 'code', 'The code is wrong, was used before, or is too old');
  }
  const operator: SignedIn = {
    name: redeemed.name,
    role: 'owner',
    identity: { method: 'code', issuer: null, subject: redeemed.name },
    accountRevision: null,
  };
  await answerSignIn(context, ctx, operator);
}

/** `POST /session/password` */
export async function signInByPassword(context: SessionRoutesContext, ctx: Context): Promise<void> {
  const { store, logger, passwordGate } = context;
  const { name, password } = await readJson(requestOf(ctx, logger), passwordSignInRequestSchema);
  const attempt = { name, password, address: requestOf(ctx, logger).address };
  const account = await checkPassword(passwordGate, store.accounts, attempt);
  if (!account) throw refuse(context, ctx, 'password', 'The name or the password is wrong');
  const { role, revision } = account;
  const identity = { method: 'password', issuer: null, subject: name } as const;
  await answerSignIn(context, ctx, { name, role, identity, accountRevision: revision });
}

/** The answer contains no reason. The log contains no name: somebody may have typed a password there. */
function refuse({ logger }: SessionRoutesContext, ctx: Context, method: string, message: string) {
  logger.warn({ method, address: ctx.ip }, 'operator.sign_in_refused');
  return new ApiError('SIGN_IN_FAILED', message);
}

async function answerSignIn(
  context: SessionRoutesContext,
  ctx: Context,
  operator: SignedIn,
): Promise<void> {
  const session = await signIn(context, ctx, operator);
  ctx.status = 201;
  ctx.body = await answerOf(context, session);
}

/** `GET /session` */
export async function showSession(context: SessionRoutesContext, ctx: Context): Promise<void> {
  ctx.body = await answerOf(context, operatorOf(ctx));
}

async function answerOf(
  { store }: SessionRoutesContext,
  { name, role, method, identity, expiresAt }: AdminSession | Operator,
): Promise<SessionAnswer> {
  const language = (await store.accounts.findLanguage(identity)) ?? null;
  return { name, role, method, expiresAt, language };
}

/** `POST /session/language`. It is no action, so the audit has no row. */
export async function chooseLanguage(context: SessionRoutesContext, ctx: Context): Promise<void> {
  const { store, logger } = context;
  const { language } = await readJson(requestOf(ctx, logger), languageRequestSchema);
  await store.accounts.chooseLanguage(operatorOf(ctx).identity, language);
  ctx.status = 204;
}

/** `DELETE /session` */
export async function signOut(context: SessionRoutesContext, ctx: Context): Promise<void> {
  const { store, oidc } = context;
  const session = await findSession(context, ctx);
  await recordAction(store.audit, {
    entry: { ...actorOf(ctx), action: 'sign-out', target: session.method },
    act: () => closeSession(context, ctx, session),
  });
  const continueAt = session.method === 'oidc' && oidc ? await findSignOutUrl(oidc) : undefined;
  const answer: SignOutAnswer = { continueAt: continueAt ?? null };
  ctx.body = answer;
}

/** `GET /session/methods`: the ways to sign in that the page offers. */
export function listSignInMethods({ oidc }: SessionRoutesContext, ctx: Context): void {
  const answer: SignInMethods = {
    methods: ['code', 'password', ...(oidc ? ['oidc' as const] : [])],
  };
  ctx.body = answer;
}

/** `GET /sessions` */
export async function listSessions(
  { store, now }: SessionRoutesContext,
  ctx: Context,
): Promise<void> {
  const operator = operatorOf(ctx);
  const sessions = await store.accounts.listSessions(now());
  const answer: SessionList = {
    sessions: sessions
      .filter((session) => mayEnd(operator, session))
      .map(({ id, name, role, method, createdAt, expiresAt }) => {
        const isCurrent = id === operator.sessionId;
        return { id, name, role, method, createdAt, expiresAt, isCurrent };
      }),
  };
  ctx.body = answer;
}

/** `POST /sessions/:id/end` */
export async function endSession(context: SessionRoutesContext, ctx: Context): Promise<void> {
  const { store, logger, now } = context;
  const operator = operatorOf(ctx);
  const { reason } = await readJson(requestOf(ctx, logger), endSessionRequestSchema);
  const sessions = await store.accounts.listSessions(now());
  const session = sessions.find(({ id }) => id === ctx.params.id);
  if (!session) throw new ApiError('NOT_FOUND', noSuchSession);
  await recordAction(store.audit, {
    entry: { ...actorOf(ctx), action: 'end-session', target: session.name, reason },
    async act() {
      if (!mayEnd(operator, session)) throw hideSession(operator);
      await store.accounts.endSession(session.id);
    },
    failureOf,
  });
  logger.info({ sessionId: session.id, by: operator.name }, 'operator.session_ended');
  ctx.status = 204;
}

const noSuchSession = 'There is no such session';

/** Another operator's session does not exist for those who may not end it. The audit says what they tried. */
function hideSession({ role }: Operator): RefusedActionError {
  const meaning = { kind: 'role_missing', needed: 'owner', own: role } as const;
  return new RefusedActionError('NOT_FOUND', noSuchSession, meaning);
}

/** Operators end their own sessions, owners those of all. */
function mayEnd({ role, identity }: Operator, session: AdminSession): boolean {
  return role === 'owner' || isDeepStrictEqual(identity, session.identity);
}
