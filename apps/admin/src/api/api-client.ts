/** The dashboard's only client of the BFF, typed by the schemas. */
import {
  type ActionName,
  type ActionRequest,
  type AddAccountRequest,
  type AlertChannel,
  type AuditResult,
  accountListSchema,
  actionResultSchema,
  adminSessionSchema,
  alertsSchema,
  alertTestResultSchema,
  auditListSchema,
  type CallGroupsQuery,
  type CallsQuery,
  type ChangePasswordRequest,
  type ChangeRoleRequest,
  callGroupsSchema,
  callsSchema,
  type DashboardLanguage,
  type DeliveriesQuery,
  deliveriesSchema,
  deliveryDetailSchema,
  type EraseUserRequest,
  eraseUserResultSchema,
  type FleetExportQuery,
  type FleetQuery,
  fleetDetailSchema,
  fleetListSchema,
  fleetRowsSchema,
  fleetSchema,
  fleetSeriesSchema,
  keysSchema,
  type ParkedHooksQuery,
  type PasswordSignInRequest,
  parkedHooksSchema,
  passwordLinkSchema,
  passwordLinkStateSchema,
  type RedeemPasswordLinkRequest,
  type RefusalsQuery,
  type RunRequest,
  refusalsSchema,
  runListSchema,
  runSchema,
  type SeriesSpan,
  type SignInRequest,
  sessionListSchema,
  settingsSchema,
  shapesSchema,
  signInMethodsSchema,
  signOutAnswerSchema,
  timelineSchema,
} from '@dowel/admin-api';
import {
  apiPath,
  change,
  type FileOptions,
  get,
  getFile,
  getTimed,
  type RequestContext,
  readBody,
  toParameters,
} from './request.ts';

interface AuditSelection {
  after: string | undefined;
  who: string | undefined;
  action: string | undefined;
  installationId: string | undefined;
  result: AuditResult | undefined;
  /** Epoch milliseconds. */
  since: number | undefined;
  /** Epoch milliseconds. */
  until: number | undefined;
}

type DeliverySelection = {
  [Name in keyof DeliveriesQuery]?: DeliveriesQuery[Name] | undefined;
};

interface TimelineSelection {
  limit: number;
  after?: string | undefined;
  /** Separated by commas. Default: all. */
  kinds?: string | undefined;
}

export type ApiClient = ReturnType<typeof createApiClient>;

/**
 * Every method throws an `ApiFailure`.
 *
 * @param isPersonThere whether a person is active. Requests without a person do not extend the session.
 * @param now this browser's clock.
 */
export function createApiClient(
  fetch: typeof globalThis.fetch,
  isPersonThere = () => true,
  now: () => number = Date.now,
) {
  const context: RequestContext = { fetch, isPersonThere, now };
  return {
    ...signInCalls(context),
    ...fleetCalls(context),
    ...operatorCalls(context),
    ...serverCalls(context),
    ...peopleCalls(context),
  };
}

/** Sign-in and the reader's session. */
function signInCalls(context: RequestContext) {
  return {
    session: (signal?: AbortSignal) => get(context, '/session', adminSessionSchema, signal),
    signIn: async (request: SignInRequest) =>
      readBody(await change(context, 'POST', '/session', request), adminSessionSchema),
    signInByPassword: async (request: PasswordSignInRequest) =>
      readBody(await change(context, 'POST', '/session/password', request), adminSessionSchema),
    signInMethods: (signal?: AbortSignal) =>
      get(context, '/session/methods', signInMethodsSchema, signal),
    chooseLanguage: async (language: DashboardLanguage): Promise<void> => {
      await change(context, 'POST', '/session/language', { language });
    },
    checkPasswordLink: async (code: string) =>
      readBody(
        await change(context, 'POST', '/password-links/check', { code }),
        passwordLinkStateSchema,
      ),
    redeemPasswordLink: async (request: RedeemPasswordLinkRequest) =>
      readBody(
        await change(context, 'POST', '/password-links/redeem', request),
        adminSessionSchema,
      ),
    changePassword: async (request: ChangePasswordRequest): Promise<void> => {
      await change(context, 'POST', '/account/password', request);
    },
    signOut: async () => readBody(await change(context, 'DELETE', '/session'), signOutAnswerSchema),
  };
}

/** Reads the installations. */
function fleetCalls(context: RequestContext) {
  return {
    fleet: (signal?: AbortSignal) => get(context, '/fleet', fleetSchema, signal),
    series: (span: SeriesSpan, signal?: AbortSignal) =>
      get(context, `/fleet/series?${toParameters({ span })}`, fleetSeriesSchema, signal),
    installations: (query: Partial<FleetQuery>, signal?: AbortSignal) =>
      getTimed(context, `/fleet/installations?${toParameters(query)}`, fleetListSchema, signal),
    exportFile: (query: FleetExportQuery, options: FileOptions) =>
      getFile(context, exportPath(query), options),
    rows: (ids: readonly string[], signal?: AbortSignal) =>
      get(context, `/fleet/rows?${toParameters({ ids: ids.join(',') })}`, fleetRowsSchema, signal),
    installation: (id: string, signal?: AbortSignal) =>
      getTimed(
        context,
        `/fleet/installations/${encodeURIComponent(id)}`,
        fleetDetailSchema,
        signal,
      ),
    timeline: (id: string, query: TimelineSelection, signal?: AbortSignal) =>
      get(
        context,
        `/fleet/installations/${encodeURIComponent(id)}/timeline?${toParameters(query)}`,
        timelineSchema,
        signal,
      ),
  };
}

/** Actions on installations, runs and the audit. */
function operatorCalls(context: RequestContext) {
  return {
    act: async <Name extends ActionName>(
      id: string,
      action: Name,
      request: ActionRequest<Name>,
    ) => {
      const path = `/installations/${encodeURIComponent(id)}/actions/${action}`;
      return readBody(await change(context, 'POST', path, request), actionResultSchema);
    },
    startRun: async (request: RunRequest) =>
      readBody(await change(context, 'POST', '/runs', request), runSchema),
    runs: (signal?: AbortSignal) => get(context, '/runs', runListSchema, signal),
    stopRun: async (id: string) =>
      readBody(await change(context, 'DELETE', `/runs/${encodeURIComponent(id)}`), runSchema),
    audit: (query: AuditSelection, signal?: AbortSignal) =>
      get(context, `/audit?${toParameters(query)}`, auditListSchema, signal),
  };
}

/** Reads the server's state: calls, events, refusals, keys, alerts and settings. */
function serverCalls(context: RequestContext) {
  return {
    parkedHooks: (query: Partial<ParkedHooksQuery>, signal?: AbortSignal) =>
      getTimed(context, `/hooks?${toParameters(query)}`, parkedHooksSchema, signal),
    alerts: (signal?: AbortSignal) => getTimed(context, '/alerts', alertsSchema, signal),
    testAlerts: async (channel: AlertChannel, reason: string) =>
      readBody(
        await change(context, 'POST', `/alerts/channels/${channel}/test`, { reason }),
        alertTestResultSchema,
      ),
    settings: (signal?: AbortSignal) => getTimed(context, '/settings', settingsSchema, signal),
    shapes: (signal?: AbortSignal) => get(context, '/shapes', shapesSchema, signal),
    keys: (signal?: AbortSignal) => getTimed(context, '/keys', keysSchema, signal),
    calls: (query: Partial<CallsQuery>, signal?: AbortSignal) =>
      get(context, `/calls?${toParameters(query)}`, callsSchema, signal),
    callGroups: (query: CallGroupsQuery, signal?: AbortSignal) =>
      get(context, `/calls/groups?${toParameters(query)}`, callGroupsSchema, signal),
    refusals: (query: Pick<RefusalsQuery, 'last'>, signal?: AbortSignal) =>
      get(context, `/refusals?${toParameters(query)}`, refusalsSchema, signal),
    deliveries: (query: DeliverySelection, signal?: AbortSignal) =>
      get(context, `/deliveries?${toParameters(query)}`, deliveriesSchema, signal),
    delivery: (id: string, signal?: AbortSignal) =>
      get(context, `/deliveries/${encodeURIComponent(id)}`, deliveryDetailSchema, signal),
  };
}

/** Accounts, their sessions, and users of the platform. */
function peopleCalls(context: RequestContext) {
  return {
    accounts: (signal?: AbortSignal) => get(context, '/accounts', accountListSchema, signal),
    addAccount: async (request: AddAccountRequest) =>
      readBody(await change(context, 'POST', '/accounts', request), passwordLinkSchema),
    createPasswordLink: async (name: string, reason: string) => {
      const path = `/accounts/${encodeURIComponent(name)}/password-link`;
      return readBody(await change(context, 'POST', path, { reason }), passwordLinkSchema);
    },
    changeRole: async (name: string, request: ChangeRoleRequest): Promise<void> => {
      await change(context, 'POST', `/accounts/${encodeURIComponent(name)}/role`, request);
    },
    removeAccount: async (name: string, reason: string): Promise<void> => {
      await change(context, 'POST', `/accounts/${encodeURIComponent(name)}/remove`, { reason });
    },
    eraseUser: async (request: EraseUserRequest) =>
      readBody(await change(context, 'POST', '/users/erase', request), eraseUserResultSchema),
    sessions: (signal?: AbortSignal) => get(context, '/sessions', sessionListSchema, signal),
    endSession: async (id: string, reason: string): Promise<void> => {
      await change(context, 'POST', `/sessions/${encodeURIComponent(id)}/end`, { reason });
    },
  };
}

/** The URL of the list as a file. */
export function exportUrl(query: FleetExportQuery): string {
  return `${apiPath}${exportPath(query)}`;
}

function exportPath(query: FleetExportQuery): string {
  return `/fleet/export?${toParameters(query)}`;
}
