/** Signing in and out, and the sessions of operators. */
import { isDeepStrictEqual } from 'node:util';
import {
  adminSessionSchema,
  endSessionRequestSchema,
  languageRequestSchema,
  passwordSignInRequestSchema,
  type AdminSession as SessionAnswer,
  type SessionList,
  type SignOutAnswer,
  sessionListSchema,
  signInMethodsSchema,
  signInRequestSchema,
  signOutAnswerSchema,
} from '@dowel/admin-api';
import { type AdminSession, recordAction, type Store } from '@dowel/installation-store';
import type { Context } from 'koa';
import { failureOf } from '../actions/failure-of.ts';
import { RefusedActionError } from '../actions/refused-action-error.ts';
import { ApiError } from '../base/errors.ts';
import { describeSender, parseSenderAddress } from '../request/sender-address.ts';
import { type AdminRoute, type Call, maySeeAddresses, openRoute, route } from './admin-route.ts';
import { findSignOutUrl } from './oidc-provider.ts';
import type { OidcRoutesContext } from './oidc-routes.ts';
import {
  closeSession,
  type FoundSession,
  lastUseOf,
  refuse,
  type SignedIn,
  signIn,
  takeSignInCode,
} from './operator-session.ts';
import { checkPassword, type PasswordGate } from './password-sign-in.ts';

export interface SessionRoutesContext extends OidcRoutesContext {
  store: Pick<Store, 'sessions' | 'accounts' | 'audit'>;
  passwordGate: PasswordGate;
}

export function listSignInRoutes(context: SessionRoutesContext): AdminRoute[] {
  const { oidc } = context;
  return [
    openRoute('POST /session', {
      summary: 'Sign in by a one-time code; sets the cookie',
      body: signInRequestSchema,
      status: 201,
      answer: adminSessionSchema,
      async handle({ ctx, body }) {
        return describeSession(
          context,
          await signIn(context, ctx, await takeSignInCode(context, ctx, body.code)),
        );
      },
    }),
    openRoute('POST /session/password', {
      summary: 'Sign in by name and password; sets the cookie',
      body: passwordSignInRequestSchema,
      status: 201,
      answer: adminSessionSchema,
      async handle({ ctx, body }) {
        const operator = await checkAccount(context, ctx, body);
        return describeSession(context, await signIn(context, ctx, operator));
      },
    }),
    openRoute('GET /session/methods', {
      summary: 'How one can sign in',
      answer: signInMethodsSchema,
      handle: async () => ({
        methods: ['code' as const, 'password' as const, ...(oidc ? ['oidc' as const] : [])],
      }),
    }),
  ];
}

export function listSessionRoutes(context: SessionRoutesContext): AdminRoute[] {
  const { store } = context;
  return [
    route('GET /session', {
      role: 'viewer',
      summary: 'Who is signed in',
      answer: adminSessionSchema,
      handle: ({ session }) => describeSession(context, session),
    }),
    route('DELETE /session', {
      role: 'viewer',
      summary: 'Sign out',
      answer: signOutAnswerSchema,
      handle: (call) => signOut(context, call),
    }),
    // It is no action, so the audit has no row.
    route('POST /session/language', {
      role: 'viewer',
      summary: 'Choose the language of the dashboard',
      body: languageRequestSchema,
      handle: ({ session, body }) => store.accounts.chooseLanguage(session.identity, body.language),
    }),
    route('GET /sessions', {
      role: 'viewer',
      summary: 'Sessions of operators',
      answer: sessionListSchema,
      handle: ({ session }) => listSessions(context, session),
    }),
    route('POST /sessions/:id/end', {
      role: 'viewer',
      summary: 'End a session',
      body: endSessionRequestSchema,
      handle: (call) => endSession(context, call),
    }),
  ];
}

/** @throws ApiError `SIGN_IN_FAILED`, and those of {@link checkPassword} */
async function checkAccount(
  context: SessionRoutesContext,
  ctx: Context,
  { name, password }: { name: string; password: string },
): Promise<SignedIn> {
  const attempt = { name, password, address: ctx.ip };
  const account = await checkPassword(context.passwordGate, context.store.accounts, attempt);
  if (!account) throw refuse(context.logger, ctx, 'password', 'The name or the password is wrong');
  const { role, revision } = account;
  const identity = { method: 'password', issuer: null, subject: name } as const;
  return { name, role, identity, accountRevision: revision };
}

/** What the pages receive of a session. */
export async function describeSession(
  { store }: SessionRoutesContext,
  { name, role, method, identity, expiresAt }: AdminSession,
): Promise<SessionAnswer> {
  const language = (await store.accounts.findLanguage(identity)) ?? null;
  return { name, role, method, expiresAt, language };
}

type SessionCall<Body = unknown, Param extends string = never> = Call<unknown, Body, Param>;

async function signOut(
  context: SessionRoutesContext,
  { ctx, session, actor }: SessionCall,
): Promise<SignOutAnswer> {
  const { store, oidc } = context;
  const idToken = await store.sessions.findIdToken(session.tokenHash);
  await recordAction(store.audit, {
    entry: { ...actor, action: 'sign-out', target: session.method },
    act: () => closeSession(context, ctx, session),
  });
  if (session.method !== 'oidc' || !oidc) return { continueAt: null };
  return { continueAt: (await findSignOutUrl(oidc, idToken)) ?? null };
}

async function listSessions(
  { store, now }: SessionRoutesContext,
  own: FoundSession,
): Promise<SessionList> {
  const sessions = await store.accounts.listSessions(now());
  return {
    sessions: sessions
      .filter((session) => mayEnd(own, session))
      .map((session) => {
        const { id, name, role, method, createdAt, expiresAt, browser, system } = session;
        const address = session.address && describeAddress(own, session.address);
        const lastUsedAt = lastUseOf(session);
        const isOwn = isDeepStrictEqual(session.identity, own.identity);
        const times = { createdAt, expiresAt, lastUsedAt };
        const isCurrent = id === own.id;
        return { id, name, role, method, ...times, address, browser, system, isOwn, isCurrent };
      }),
  };
}

/** Viewers learn the network only, even of their own sessions: somebody else may use one. */
function describeAddress(own: FoundSession, address: string): string {
  return maySeeAddresses(own) ? address : describeSender(parseSenderAddress(address), 'network');
}

async function endSession(
  { store, logger, now }: SessionRoutesContext,
  { session: own, actor, params, body: { reason } }: SessionCall<{ reason: string }, 'id'>,
): Promise<void> {
  const sessions = await store.accounts.listSessions(now());
  const session = sessions.find(({ id }) => id === params.id);
  if (!session) throw new ApiError('NOT_FOUND', noSuchSession);
  await recordAction(store.audit, {
    entry: { ...actor, action: 'end-session', target: session.name, reason },
    async act() {
      if (!mayEnd(own, session)) throw hideSession(own);
      await store.accounts.endSession(session.id);
    },
    failureOf,
  });
  logger.info({ sessionId: session.id, by: own.name }, 'operator.session_ended');
}

const noSuchSession = 'There is no such session';

/** Another operator's session does not exist for those who may not end it. The audit says what they tried. */
function hideSession({ role }: FoundSession): RefusedActionError {
  const meaning = { kind: 'role_missing', needed: 'owner', own: role } as const;
  return new RefusedActionError('NOT_FOUND', noSuchSession, meaning);
}

/** Operators end their own sessions, owners those of all. */
function mayEnd({ role, identity }: FoundSession, session: AdminSession): boolean {
  return role === 'owner' || isDeepStrictEqual(identity, session.identity);
}
