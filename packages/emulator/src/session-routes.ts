/** Routes of the control API: who is signed in. */
import {
  type Session,
  sessionSchema,
  signInLinkSchema,
  signInSchema,
  type Tenant,
  type User,
} from './control-api.ts';
import { type Control, type ControlRoute, openRoute } from './control-route.ts';

/** Sign-in and sign-out. */
export function sessionRoutes({ env, operations, sessions }: Control): ControlRoute[] {
  return [
    openRoute({
      method: 'GET',
      path: '/session',
      summary: 'Who is signed in; 204 when nobody is',
      answer: sessionSchema,
      // No 401: a browser would show the first look of its pages as an error.
      handle({ ctx }) {
        if (!sessions.isSignedIn(ctx)) return undefined;
        return viewSession(operations.findUser(sessions.userId(ctx)));
      },
    }),
    openRoute({
      method: 'POST',
      path: '/session',
      summary: 'Sign in; the answer sets a cookie',
      body: signInSchema,
      answer: sessionSchema,
      status: 201,
      handle({ ctx, body: { userId } }) {
        const session = viewSession(operations.findUser(userId));
        sessions.start(ctx, userId);
        return session;
      },
    }),
    openRoute({
      method: 'DELETE',
      path: '/session',
      summary: 'Sign out',
      handle: ({ ctx }) => sessions.end(ctx),
    }),
    openRoute({
      method: 'GET',
      path: '/sign-in',
      summary: 'The link of `signInUrl`: signs in once, and leads to a page',
      query: signInLinkSchema,
      handle({ ctx, query: { token, path } }) {
        // A HEAD request only looks at the link.
        if (ctx.method === 'GET') sessions.redeem(ctx, token);
        const target = URL.parse(path, env.origin);
        ctx.status = 303;
        ctx.redirect(target?.origin === env.origin ? target.href : env.origin);
      },
    }),
  ];
}

function viewSession({ user, tenant }: { user: User; tenant: Tenant }): Session {
  const { users, ...ownTenant } = tenant;
  return { user, tenant: ownTenant, colleagues: users };
}
