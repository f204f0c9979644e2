/**
 * The pages' only client of the emulator's API: a typed fetch that parses every answer and turns every
 * failure into a {@link ControlError}. It does not cache.
 */
import { examinationSchema } from '@dowel/dev/examination';
import {
  type AddTenant,
  type AddUser,
  activeFaultSchema,
  activeFaultsSchema,
  type ExchangeSummary,
  exchangeSchema,
  exchangesSchema,
  failureSchema,
  initAnswerSchema,
  installationSchema,
  instanceSchema,
  type LabChange,
  labSchema,
  notificationsSchema,
  pluginsSchema,
  saveAnswerSchema,
  sessionSchema,
  tenantSchema,
  tenantsSchema,
  updateOfferSchema,
  userSchema,
} from '@dowel/emulator/control-api';
import { z } from 'zod';

/** Longer than a manifest and three events of 30 s each. */
const installTimeoutMs = 150_000;
const defaultTimeoutMs = 20_000;

export type ControlErrorCode =
  | 'EMULATOR_UNREACHABLE'
  | 'EMULATOR_TIMED_OUT'
  | 'ANSWER_UNREADABLE'
  | (string & {});

/** A call that did not succeed. `status` is null when no answer came. `describeError` puts it into words. */
export class ControlError extends Error {
  readonly code: ControlErrorCode;
  readonly status: number | null;
  /** The events that led to a failed installation or update, oldest first. */
  readonly deliveries: readonly ExchangeSummary[];

  constructor(
    failure: { code: ControlErrorCode; message: string; deliveries?: readonly ExchangeSummary[] },
    options: { status: number | null; cause?: unknown },
  ) {
    super(failure.message, { cause: options.cause });
    this.name = 'ControlError';
    this.code = failure.code;
    this.status = options.status;
    this.deliveries = failure.deliveries ?? [];
  }
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ControlError && error.status === 401;
}

const errorAnswerSchema = z.object({ code: z.string(), message: z.string() });

interface Call<T> {
  /** Default: what is answered does not count. */
  schema?: z.ZodType<T>;
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  timeoutMs?: number;
}

async function callControl<T>(path: string, call: Call<T>): Promise<T> {
  const { schema = z.unknown() as z.ZodType<T> } = call;
  const response = await send(path, call);
  const text = await response.text().catch(() => '');
  const answer = parseJson(text);
  if (!response.ok) throw toControlError(response, answer);
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new ControlError(
    { code: 'ANSWER_UNREADABLE', message: `${path} has another shape` },
    { status: response.status, cause: parsed.error },
  );
}

async function send(path: string, call: Call<unknown>): Promise<Response> {
  const hasBody = call.body !== undefined;
  try {
    return await fetch(`/control/${path}`, {
      method: call.method ?? 'GET',
      headers: {
        accept: 'application/json',
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      body: hasBody ? JSON.stringify(call.body) : null,
      redirect: 'error',
      signal: AbortSignal.timeout(call.timeoutMs ?? defaultTimeoutMs),
    });
  } catch (cause) {
    throw noAnswer(cause);
  }
}

function noAnswer(cause: unknown): ControlError {
  const timedOut = cause instanceof DOMException && cause.name === 'TimeoutError';
  const failure = timedOut
    ? { code: 'EMULATOR_TIMED_OUT', message: 'No answer in time' }
    : { code: 'EMULATOR_UNREACHABLE', message: 'No answer' };
  return new ControlError(failure, { status: null, cause });
}

function toControlError(response: Response, answer: unknown): ControlError {
  const options = { status: response.status };
  const failure = failureSchema.safeParse(answer);
  if (failure.success) return new ControlError(failure.data, options);
  const error = errorAnswerSchema.safeParse(answer);
  if (error.success) return new ControlError(error.data, options);
  const message = `HTTP ${response.status}`;
  return new ControlError({ code: 'ANSWER_UNREADABLE', message }, options);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const pluginPath = (pluginId: string, rest = '') =>
  `plugins/${encodeURIComponent(pluginId)}${rest}`;

export const loadTenants = () => callControl('tenants', { schema: tenantsSchema });

export const addTenant = (tenant: AddTenant) =>
  callControl('tenants', { method: 'POST', body: tenant, schema: tenantSchema });

export const addPerson = (tenantId: string, person: AddUser) =>
  callControl(`tenants/${encodeURIComponent(tenantId)}/users`, {
    method: 'POST',
    body: person,
    schema: userSchema,
  });

/** Null when nobody is signed in. */
export async function loadSession() {
  return (await callControl('session', { schema: sessionSchema.optional() })) ?? null;
}

export const signIn = (userId: string) =>
  callControl('session', { method: 'POST', body: { userId } });

export const signOut = () => callControl('session', { method: 'DELETE' });

export const loadPlugins = () => callControl('plugins', { schema: pluginsSchema });

export const loadExchanges = () => callControl('exchanges', { schema: exchangesSchema });

/** @param options.reveals also its secrets. */
export const loadExchange = (id: string, { reveals }: { reveals: boolean }) =>
  callControl(`exchanges/${encodeURIComponent(id)}${reveals ? '?reveal=true' : ''}`, {
    schema: exchangeSchema,
  });

export const resendEvent = (id: number, body: { signedAgain: boolean }) =>
  callControl(`exchanges/${id}/resend`, {
    method: 'POST',
    body,
    schema: exchangeSchema,
    timeoutMs: installTimeoutMs,
  });

/** @param request.pluginId of an installation that has ended. Default: a new one. */
export const installPlugin = (request: { manifestUrl: string; pluginId?: string }) =>
  callControl('plugins', {
    method: 'POST',
    body: request,
    schema: installationSchema,
    timeoutMs: installTimeoutMs,
  });

export const updatePlugin = (pluginId: string) =>
  callControl(pluginPath(pluginId, '/update'), {
    method: 'POST',
    timeoutMs: installTimeoutMs,
  });

/** Takes as long as the plug-in takes to answer with its manifest. */
export const loadUpdateOffer = (pluginId: string) =>
  callControl(pluginPath(pluginId, '/update'), {
    schema: updateOfferSchema,
    timeoutMs: installTimeoutMs,
  });

export const uninstallPlugin = (pluginId: string) =>
  callControl(pluginPath(pluginId), {
    method: 'DELETE',
    timeoutMs: installTimeoutMs,
  });

export const placeWidget = (pluginId: string, entryPointId: string) =>
  callControl(pluginPath(pluginId, '/instances'), {
    method: 'POST',
    body: { entryPointId },
    schema: instanceSchema,
    timeoutMs: installTimeoutMs,
  });

export const removeWidget = (pluginId: string, instanceId: string) =>
  callControl(pluginPath(pluginId, `/instances/${encodeURIComponent(instanceId)}`), {
    method: 'DELETE',
    timeoutMs: installTimeoutMs,
  });

export const revokeTokens = (pluginId: string, what: 'accessTokens' | 'refreshTokens') =>
  callControl(pluginPath(pluginId, '/revoke'), {
    method: 'POST',
    body: { what },
  });

export const sendAccessTokenEvent = (pluginId: string) =>
  callControl(pluginPath(pluginId, '/events'), {
    method: 'POST',
    body: { event: 'access_token' },
    timeoutMs: installTimeoutMs,
  });

export const startExamination = (pluginId: string) =>
  callControl(pluginPath(pluginId, '/examination'), { method: 'POST', schema: examinationSchema });

/** The newest one. Null when there is none. */
export async function loadExamination(pluginId: string) {
  const schema = examinationSchema.optional();
  return (await callControl(pluginPath(pluginId, '/examination'), { schema })) ?? null;
}

/** The signed answer to a frame's init message; `jti` is the frame's own nonce. */
export async function requestInitJwt(instanceId: string, jti: string): Promise<string> {
  const body = { instanceId, jti };
  const answer = await callControl('init', { method: 'POST', body, schema: initAnswerSchema });
  return answer.initJwt;
}

/** The signed request to a configuration page, and the nonce that its answer must carry. */
export const requestSaveJwt = (instanceId: string) =>
  callControl('save', { method: 'POST', body: { instanceId }, schema: saveAnswerSchema });

export const saveWidgetConfig = (
  { pluginId, instanceId }: { pluginId: string; instanceId: string },
  config: Record<string, unknown>,
) =>
  callControl(pluginPath(pluginId, `/instances/${encodeURIComponent(instanceId)}/config`), {
    method: 'PUT',
    body: config,
  });

export const loadNotifications = () =>
  callControl('notifications', { schema: notificationsSchema });

export const loadLab = () => callControl('lab', { schema: labSchema });

export const changeLab = (change: LabChange) =>
  callControl('lab', { method: 'PATCH', body: change });

export const loadFaults = () => callControl('faults', { schema: activeFaultsSchema });

/** @param fault its name with its options. */
export const addFault = (fault: { name: string; [option: string]: unknown }) =>
  callControl('faults', { method: 'POST', body: fault, schema: activeFaultSchema });

export const endFault = (id: number) => callControl(`faults/${id}`, { method: 'DELETE' });
