/** How people set the passwords of their accounts: by a link of an owner, and in their own session. */
import {
  type AdminSession,
  adminSessionSchema,
  type ChangePasswordRequest,
  changePasswordRequestSchema,
  checkPasswordLinkRequestSchema,
  passwordLinkStateSchema,
  type RedeemPasswordLinkRequest,
  redeemPasswordLinkRequestSchema,
} from '@dowel/admin-api';
import { hashPassword, recordAction, type Store } from '@dowel/installation-store';
import type { Context } from 'koa';
import { failureOf } from '../actions/failure-of.ts';
import { ApiError } from '../base/errors.ts';
import { type AdminRoute, type Call, openRoute, route } from './admin-route.ts';
import { limitOperator } from './operator-limits.ts';
import { refuse, signIn } from './operator-session.ts';
import { checkPassword, whileHashing } from './password-sign-in.ts';
import { describeSession, type SessionRoutesContext } from './session-routes.ts';

interface PasswordRoutesContext extends SessionRoutesContext {
  store: SessionRoutesContext['store'] & Pick<Store, 'transaction'>;
}

export function listPasswordRoutes(context: PasswordRoutesContext): AdminRoute[] {
  const { store, now } = context;
  return [
    openRoute('POST /password-links/check', {
      summary: 'Whose password a link sets, and whether it still does',
      body: checkPasswordLinkRequestSchema,
      answer: passwordLinkStateSchema,
      handle: ({ body }) => store.accounts.findPasswordLink(body.code, now()),
    }),
    openRoute('POST /password-links/redeem', {
      summary: 'Set a password by a link, and sign in; sets the cookie',
      body: redeemPasswordLinkRequestSchema,
      status: 201,
      answer: adminSessionSchema,
      handle: ({ ctx, body }) => redeemLink(context, ctx, body),
    }),
    route('POST /account/password', {
      role: 'viewer',
      summary: 'Change the password of the own account',
      body: changePasswordRequestSchema,
      handle: (call) => changePassword(context, call),
    }),
  ];
}

/** Only who has an open link causes work: a hash takes half a second. @throws ApiError `SIGN_IN_FAILED`, `OVERLOADED` */
async function redeemLink(
  context: PasswordRoutesContext,
  ctx: Context,
  { code, password }: RedeemPasswordLinkRequest,
): Promise<AdminSession> {
  const { store, passwordGate, logger, now } = context;
  const refusal = () =>
    refuse(logger, ctx, 'password', 'The link is wrong, was used before, or is too old');
  const link = await store.accounts.findPasswordLink(code, now());
  if (link.state !== 'open') throw refusal();
  const account = await store.accounts.findAccount(link.name);
  if (!account) throw refusal();
  const { name, role } = account;
  const passwordHash = await whileHashing(passwordGate, () => hashPassword(password));
  const identity = { method: 'password', issuer: null, subject: name } as const;
  const changed = await recordAction(store.audit, {
    entry: {
      who: name,
      identity,
      role,
      way: 'page',
      from: ctx.ip,
      action: 'change-password',
      target: name,
    },
    async act() {
      const redeemed = await store.accounts.redeemPasswordLink(code, passwordHash, now());
      if (!redeemed) throw refusal();
      return redeemed;
    },
    endingOf: () => ({ result: 'done', detail: 'Set by a link.', meaning: { kind: 'by_link' } }),
    failureOf,
  });
  const { revision: accountRevision } = changed;
  const session = await signIn(context, ctx, {
    name,
    role: changed.role,
    identity,
    accountRevision,
  });
  return describeSession(context, session);
}

/** @throws ApiError `NOT_FOUND`, `PASSWORD_WRONG`, and those of {@link checkPassword} */
async function changePassword(
  context: PasswordRoutesContext,
  { ctx, session, actor, body }: Call<unknown, ChangePasswordRequest, never>,
): Promise<void> {
  const { store, passwordGate, operatorLimits } = context;
  const { name, identity, tokenHash } = session;
  if (session.accountRevision === null) {
    throw new ApiError('NOT_FOUND', 'Only who signed in with a password has one to change');
  }
  limitOperator(operatorLimits, 'sign-in', identity);
  const attempt = { name, password: body.password, address: ctx.ip };
  if (!(await checkPassword(passwordGate, store.accounts, attempt))) {
    throw new ApiError('PASSWORD_WRONG', 'The present password is another one');
  }
  const hash = await whileHashing(passwordGate, () => hashPassword(body.newPassword));
  await recordAction(store.audit, {
    entry: { ...actor, action: 'change-password', target: name },
    act: () => store.transaction(({ accounts }) => accounts.changePassword(name, hash, tokenHash)),
    failureOf,
  });
}
