/** The dashboard's only client of the BFF: typed by the schemas, same origin, cookie session. */
import {
  type ActionName,
  type ActionRequest,
  type AlertChannel,
  type AuditResult,
  accountListSchema,
  actionResultSchema,
  adminSessionSchema,
  alertsSchema,
  alertTestResultSchema,
  apiErrorSchema,
  auditListSchema,
  type ChangeRoleRequest,
  type EndSilenceRequest,
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
  type RefusalsQuery,
  type RunRequest,
  refusalsSchema,
  runListSchema,
  runSchema,
  type SeriesSpan,
  type SignInRequest,
  type SilenceRequest,
  sessionListSchema,
  settingsSchema,
  signInMethodsSchema,
  signOutAnswerSchema,
  timelineSchema,
  undoneActionSchema,
} from '@dowel/schema';
import type { ZodType } from 'zod';
import { basePath } from '../base-path.ts';
import { ApiFailure } from './api-failure.ts';

export const apiPath = `${basePath}api`;

export interface AuditSelection {
  after: string | undefined;
  who: string | undefined;
  result: AuditResult | undefined;
  /** Epoch milliseconds. */
  since: number | undefined;
  /** Epoch milliseconds. */
  until: number | undefined;
}

export interface TimelineSelection {
  limit: number;
  after?: string | undefined;
  /** With commas between them. Default: all. */
  kinds?: string | undefined;
}

/** An answer with the server's clock, and this browser's clock when it arrived. */
export type Timed<T> = T & { receivedAt: number };

export type ApiClient = ReturnType<typeof createApiClient>;

/**
 * Every method throws {@link ApiFailure}.
 *
 * @param isPersonThere whether a person is active. Requests without a person do not extend the session.
 * @param now this browser's clock.
 */
export function createApiClient(
  fetch: typeof globalThis.fetch,
  isPersonThere = () => true,
  now: () => number = Date.now,
) {
  async function send(path: string, init: RequestInit): Promise<Response> {
    const url = `${apiPath}${path}`;
    const answer = fetch(url, { ...init, redirect: 'error' });
    const response = await answer.catch((cause: unknown) => {
      if (init.signal?.aborted) throw cause;
      throw new ApiFailure('UNREACHABLE', 0, 'Dowel does not answer. Is it running?', { cause });
    });
    if (!response.ok) throw await readFailure(response);
    return response;
  }

  async function get<T>(path: string, schema: ZodType<T>, signal?: AbortSignal): Promise<T> {
    const headers: HeadersInit = isPersonThere() ? {} : { 'X-Dowel-Background': '1' };
    return readBody(await send(path, { headers, signal: signal ?? null }), schema);
  }

  async function getTimed<T extends { now: number }>(
    path: string,
    schema: ZodType<T>,
    signal?: AbortSignal,
  ): Promise<Timed<T>> {
    const answer = await get(path, schema, signal);
    return { ...answer, receivedAt: now() };
  }

  /** Pages of other origins cannot send this header. */
  function change(method: 'POST' | 'DELETE', path: string, body?: object): Promise<Response> {
    const headers = { 'X-Dowel-CSRF': '1', 'Content-Type': 'application/json' };
    return send(path, { method, headers, body: body ? JSON.stringify(body) : null });
  }

  return {
    session: (signal?: AbortSignal) => get('/session', adminSessionSchema, signal),
    signIn: async (request: SignInRequest) =>
      readBody(await change('POST', '/session', request), adminSessionSchema),
    signInByPassword: async (request: PasswordSignInRequest) =>
      readBody(await change('POST', '/session/password', request), adminSessionSchema),
    signInMethods: (signal?: AbortSignal) => get('/session/methods', signInMethodsSchema, signal),
    signOut: async () => readBody(await change('DELETE', '/session'), signOutAnswerSchema),
    fleet: (signal?: AbortSignal) => get('/fleet', fleetSchema, signal),
    series: (span: SeriesSpan, signal?: AbortSignal) =>
      get(`/fleet/series?${toParameters({ span })}`, fleetSeriesSchema, signal),
    installations: (query: Partial<FleetQuery>, signal?: AbortSignal) =>
      getTimed(`/fleet/installations?${toParameters(query)}`, fleetListSchema, signal),
    rows: (ids: readonly string[], signal?: AbortSignal) =>
      get(`/fleet/rows?${toParameters({ ids: ids.join(',') })}`, fleetRowsSchema, signal),
    installation: (id: string, signal?: AbortSignal) =>
      getTimed(`/fleet/installations/${encodeURIComponent(id)}`, fleetDetailSchema, signal),
    act: async <Name extends ActionName>(
      id: string,
      action: Name,
      request: ActionRequest<Name>,
    ) => {
      const path = `/installations/${encodeURIComponent(id)}/actions/${action}`;
      return readBody(await change('POST', path, request), actionResultSchema);
    },
    accounts: (signal?: AbortSignal) => get('/accounts', accountListSchema, signal),
    changeRole: async (name: string, request: ChangeRoleRequest): Promise<void> => {
      await change('POST', `/accounts/${encodeURIComponent(name)}/role`, request);
    },
    removeAccount: async (name: string, reason: string): Promise<void> => {
      await change('POST', `/accounts/${encodeURIComponent(name)}/remove`, { reason });
    },
    parkedHooks: (query: Partial<ParkedHooksQuery>, signal?: AbortSignal) =>
      getTimed(`/hooks?${toParameters(query)}`, parkedHooksSchema, signal),
    alerts: (signal?: AbortSignal) => getTimed('/alerts', alertsSchema, signal),
    silenceAlert: async (request: SilenceRequest): Promise<void> => {
      await change('POST', '/alerts/silences', request);
    },
    endSilence: async (request: EndSilenceRequest): Promise<void> => {
      await change('POST', '/alerts/silences/end', request);
    },
    testAlerts: async (channel: AlertChannel) =>
      readBody(await change('POST', `/alerts/channels/${channel}/test`), alertTestResultSchema),
    settings: (signal?: AbortSignal) => getTimed('/settings', settingsSchema, signal),
    keys: (signal?: AbortSignal) => getTimed('/keys', keysSchema, signal),
    refusals: (query: Pick<RefusalsQuery, 'last'>, signal?: AbortSignal) =>
      get(`/refusals?${toParameters(query)}`, refusalsSchema, signal),
    startRun: async (request: RunRequest) =>
      readBody(await change('POST', '/runs', request), runSchema),
    runs: (signal?: AbortSignal) => get('/runs', runListSchema, signal),
    stopRun: async (id: string) =>
      readBody(await change('DELETE', `/runs/${encodeURIComponent(id)}`), runSchema),
    sessions: (signal?: AbortSignal) => get('/sessions', sessionListSchema, signal),
    endSession: async (id: string): Promise<void> => {
      await change('DELETE', `/sessions/${encodeURIComponent(id)}`);
    },
    audit: (query: AuditSelection, signal?: AbortSignal) =>
      get(`/audit?${toParameters(query)}`, auditListSchema, signal),
    timeline: (id: string, query: TimelineSelection, signal?: AbortSignal) =>
      get(
        `/fleet/installations/${encodeURIComponent(id)}/timeline?${toParameters(query)}`,
        timelineSchema,
        signal,
      ),
  };
}

/** Where the browser gets the list as a file. */
export function exportUrl(query: FleetExportQuery): string {
  return `${apiPath}/fleet/export?${toParameters(query)}`;
}

function toParameters(query: object): URLSearchParams {
  const present = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(present.map(([name, value]) => [name, String(value)]));
}

async function readBody<T>(response: Response, schema: ZodType<T>): Promise<T> {
  try {
    return schema.parse(await response.json());
  } catch (cause) {
    const message = 'Dowel gave an answer that this page does not understand. Load the page again.';
    throw new ApiFailure('ANSWER_INVALID', response.status, message, { cause });
  }
}

async function readFailure(response: Response): Promise<ApiFailure> {
  const body: unknown = await response.json().catch(() => null);
  const undone = undoneActionSchema.safeParse(body).data;
  const parsed = apiErrorSchema.safeParse(body);
  if (parsed.success) {
    const { code, message } = parsed.data;
    return new ApiFailure(code, response.status, message, { undone });
  }
  return new ApiFailure('ANSWER_INVALID', response.status, `Dowel answered ${response.status}.`);
}
