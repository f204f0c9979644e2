/** The dashboard's API: sign-in, then reading in a cookie session. */
import { liveChangesSchema, type Setting, shapesSchema } from '@dowel/admin-api';
import type { ApplyChange, Store } from '@dowel/installation-store';
import type { PlatformJwtVerifier } from '@dowel/platform-jwt';
import type { TokenClient } from '@dowel/token-client';
import Router from '@koa/router';
import { z } from 'zod';
import type { RunsContext } from '../actions/runs.ts';
import type { AlertsContext } from '../alerts/alerts-context.ts';
import { readOwnVersion } from '../base/own-version.ts';
import { type ShapeTally, writeShapes } from '../base/shape-tally.ts';
import type { Log } from '../log/log.ts';
import { namePlugins, type ServedPlugin } from '../served-plugin.ts';
import { listAccountRoutes } from './account-routes.ts';
import { listActionRoutes } from './action-routes.ts';
import { type AdminRoute, mountRoutes, route, written } from './admin-route.ts';
import { listAlertRoutes } from './alert-routes.ts';
import { listCallRoutes } from './call-routes.ts';
import { type ChangeFeed, createChangeFeed } from './change-feed.ts';
import { streamChanges } from './change-stream.ts';
import { listDeliveryRoutes } from './delivery-routes.ts';
import { type DescribedAdminApi, describeAdminApi } from './describe-admin-api.ts';
import { createSenderCounters } from './failure-limits.ts';
import { listExportRoutes } from './fleet-export.ts';
import { listFleetRoutes } from './fleet-routes.ts';
import { listKeyRoutes } from './key-routes.ts';
import type { OidcProvider } from './oidc-provider.ts';
import { listOidcRoutes } from './oidc-routes.ts';
import { createOperatorLimits } from './operator-limits.ts';
import { describeSessionCookie, hasSession } from './operator-session.ts';
import { listPasswordRoutes } from './password-routes.ts';
import { createPasswordGate } from './password-sign-in.ts';
import { listRunRoutes } from './run-routes.ts';
import {
  listSessionRoutes,
  listSignInRoutes,
  type SessionRoutesContext,
} from './session-routes.ts';
import { listSettingsRoutes } from './settings-routes.ts';

export interface AdminRoutesOptions {
  store: Store;
  tokenClient: TokenClient;
  verifier: PlatformJwtVerifier;
  plugins: readonly ServedPlugin[];
  /** False: the server has no dashboard. Then only commands call the API. */
  hasSignIn: boolean;
  describeSettings: () => Setting[];
  isProduction: boolean;
  /** Where plug-ins are. Without a trailing slash; may have a path. */
  publicUrl: string;
  /** Where the dashboard is: the public URL, or another origin with its path. */
  adminUrl: string;
  logger: Log;
  /** Undefined: operators sign in by password or code only. */
  oidc: OidcProvider | undefined;
  /** Aborting it ends the streams. */
  closing: AbortSignal;
  alerts: AlertsContext;
  shapes: ShapeTally;
  runs: RunsContext;
  applied: ApplyChange;
  now: () => number;
}

interface AdminContext extends AdminRoutesOptions, SessionRoutesContext {
  store: Store;
  pluginName: string;
  feed: ChangeFeed;
  exporting: Set<string>;
}

/** Creates the router of the API below `/admin/api`, and its description there. Each change has a row in the audit. */
export function createAdminRoutes(options: AdminRoutesOptions): Router {
  const context: AdminContext = {
    ...options,
    cookie: describeSessionCookie(options.adminUrl),
    passwordGate: createPasswordGate(options.now),
    operatorLimits: createOperatorLimits(options.now),
    oidcFailures: createSenderCounters(options.now),
    pluginName: namePlugins(options.plugins),
    feed: createChangeFeed(options),
    exporting: new Set(),
  };
  // At the first request: it takes tens of milliseconds.
  let description: ReturnType<typeof describeAdminApi> | undefined;
  const routes: AdminRoute[] = [
    ...listRoutes(context).filter(({ role }) => options.hasSignIn || role),
    route('GET /openapi.json', {
      role: 'viewer',
      summary: 'This document',
      answer: z.looseObject({}),
      handle: async () => (description ??= describeAdminApi(routes, described)),
    }),
  ];
  const described: DescribedAdminApi = {
    adminUrl: options.adminUrl,
    cookieName: context.cookie.name,
    version: readOwnVersion(),
  };
  const router = new Router({ prefix: '/admin/api', strict: true, sensitive: true });
  mountRoutes(router, routes, context);
  return router;
}

function listRoutes(context: AdminContext): AdminRoute[] {
  return [
    ...listSignInRoutes(context),
    ...listSessionRoutes(context),
    ...listOidcRoutes(context),
    ...listAccountRoutes(context),
    ...listPasswordRoutes(context),
    ...listActionRoutes(context),
    ...listAlertRoutes(context),
    ...listRunRoutes(context.runs),
    ...listKeyRoutes(context),
    ...listFleetRoutes(context),
    ...listCallRoutes(context),
    ...listDeliveryRoutes(context),
    ...listSettingsRoutes(context),
    ...listExportRoutes(context),
    route('GET /shapes', {
      role: 'viewer',
      summary: 'What the platform sent, without values: formats of its members, counted',
      answer: shapesSchema,
      async handle() {
        // With what this process has counted until now, if the database can store it.
        await writeShapes(context.shapes);
        return { shapes: await context.store.shapes.list() };
      },
    }),
    route('GET /changes', {
      role: 'viewer',
      summary: 'What changes, as server-sent events: the data of each `changed` event',
      answer: liveChangesSchema,
      mediaType: 'text/event-stream',
      async handle({ ctx, session }) {
        const { feed, closing, now } = context;
        streamChanges(ctx, feed, {
          lifetimeMs: session.expiresAt - now(),
          closing,
          hasSession: () => hasSession(context, session),
        });
        return written;
      },
    }),
  ];
}
