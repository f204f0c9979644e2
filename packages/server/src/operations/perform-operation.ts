/** Runs an operation's own code: with its context, in its time, and with its output checked. */

import { PlatformError } from '../base/platform-error.ts';
import { bindLog } from '../log/bind-log.ts';
import type { Log } from '../log/log.ts';
import { type CallScope, giveUpUnread } from '../platform/call-platform.ts';
import { createPlatform, type PlatformContext } from '../platform/create-platform.ts';
import type { NotificationLimits } from '../platform/notification-limits.ts';
import { parseBody } from '../request/read-body.ts';
import type { ServerRequest } from '../request/server-request.ts';
import { type CalledPlugin, callerOf } from '../sessions/caller.ts';
import type { CallingSession } from '../sessions/require-session.ts';
import { type CallGate, notificationCalls, takePlace } from './call-limits.ts';
import type { OperationContext, PlatformScope } from './operation.ts';
import { OperationFault } from './operation-fault.ts';
import type { NamedOperation } from './operation-table.ts';

export interface PerformContext extends PlatformContext {
  logger: Log;
  gate: CallGate;
  notificationLimits: NotificationLimits;
  plugin: CalledPlugin;
}

export interface AdmittedCall {
  session: CallingSession;
  /** The input as it was received. */
  text: string;
  request: ServerRequest;
}

/** The progress of a call. */
export interface Started {
  /** The operation's own code has been called. */
  hasStarted: boolean;
}

type AnyContext = OperationContext<unknown, PlatformScope, string>;

/**
 * Parses the input, runs the operation and checks the output, all within the operation's time: a schema may be
 * asynchronous.
 *
 * @throws what the operation throws; OperationFault; ApiError `BAD_REQUEST`
 */
export function performOperation(
  context: PerformContext,
  operation: NamedOperation,
  { text, ...call }: AdmittedCall,
  progress: Started,
): Promise<unknown> {
  const { definition } = operation;
  const { timeoutMs, run } = definition;
  return withEnding({ gone: call.request.signal, timeoutMs, progress }, async (signal) => {
    const input = await parseBody(definition.input, text);
    signal.throwIfAborted();
    progress.hasStarted = true;
    const { request, session } = call;
    const source = {
      operation: operation.name,
      requestId: request.requestId,
      userId: session.userId,
    };
    const scope = { signal, traceparent: readTraceparent(request), source, answers: [] };
    try {
      const value = await run(createContext(context, { operation, scope, input, ...call }));
      return await parseOutput(operation, value);
    } finally {
      giveUpUnread(scope);
    }
  });
}

function createContext(
  context: PerformContext,
  {
    operation,
    scope,
    session,
    input,
    request,
  }: Omit<AdmittedCall, 'text'> & {
    operation: NamedOperation;
    /** As the input schema returned it. */
    input: unknown;
    scope: CallScope & { signal: AbortSignal };
  },
): AnyContext {
  const { requestId } = request;
  const { name, definition } = operation;
  const { scopes, errors, config = context.plugin.config } = definition;
  const caller = callerOf({ config }, session);
  const { signal } = scope;
  const { instanceId } = caller;
  const found = {
    ...caller,
    input,
    log: bindLog(context.logger, { operation: name, requestId }),
    signal,
    requestId,
    fail(code: string, message: string) {
      const status = Object.hasOwn(errors, code) ? errors[code] : undefined;
      if (status === undefined) throw new TypeError(`${code} is not among the errors of ${name}`);
      throw new OperationFault(code, message, { status });
    },
  } satisfies Omit<AnyContext, 'platform'>;
  if (scopes.length === 0) return withoutPlatform(found, name);
  const platform = createPlatform(context, caller.installation, {
    instanceId,
    scope,
    admit: () => admitNotification(context, operation, session),
  });
  return { ...found, platform };
}

/** TypeScript's type of it is undefined. In JavaScript, the error says what to write. A copy of the context leaves it out. */
function withoutPlatform(found: Omit<AnyContext, 'platform'>, name: string): AnyContext {
  return Object.defineProperty(found, 'platform', {
    get() {
      throw new TypeError(
        `${name} has no platform, because it has no scopes: add the one that its calls need, such as scopes: ['plugin:notify'], to its defineOperation`,
      );
    },
  }) as AnyContext;
}

/** @throws PlatformError `RATE_LIMITED`. A call of createNotification has taken its place before. */
function admitNotification(
  { gate, notificationLimits }: PerformContext,
  { countedAs }: NamedOperation,
  session: CallingSession,
): void {
  if (countedAs === notificationCalls) return;
  const call = { ...session, operation: notificationCalls };
  const retryAfterMs = takePlace(gate, call, notificationLimits);
  if (retryAfterMs === undefined) return;
  const message = 'Too many notifications in a short time';
  throw new PlatformError('RATE_LIMITED', message, { retryAfterMs });
}

/** W3C Trace Context: version `ff` and ids of zeros are invalid. Anything else is left out. */
const traceparent = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

function readTraceparent(request: ServerRequest): string | undefined {
  const header = request.header('traceparent') ?? '';
  return traceparent.test(header) ? header : undefined;
}

/**
 * Rejects when the time is over or the connection of the page has ended, and aborts the signal of the work. The work
 * may still run, but its result is ignored. At a time-out the signal's reason is a `TimeoutError`, as with
 * `AbortSignal.timeout`: a call to the platform that it ends counts as unanswered (docs/decisions/0035-fair-places.md).
 */
async function withEnding<Value>(
  { gone, timeoutMs, progress }: { gone: AbortSignal; timeoutMs: number; progress: Started },
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  if (gone.aborted) throw left(progress);
  const ending = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (fault: OperationFault, reason: Error = fault) => {
    reject(fault);
    ending.abort(reason);
  };
  const leave = () => end(left(progress));
  const giveUp = () => {
    const fault = timedOut(progress);
    end(fault, new DOMException(fault.message, 'TimeoutError'));
  };
  const timer = setTimeout(giveUp, timeoutMs);
  gone.addEventListener('abort', leave);
  try {
    return await Promise.race([ended, work(ending.signal)]);
  } finally {
    clearTimeout(timer);
    gone.removeEventListener('abort', leave);
  }
}

function timedOut({ hasStarted: mayHaveRun }: Started): OperationFault {
  const message = 'The operation took too long';
  return new OperationFault('TIMED_OUT', message, { status: 504, mayHaveRun });
}

/** Nobody receives it. The status is the one that nginx logs for this. */
function left({ hasStarted: mayHaveRun }: Started): OperationFault {
  return new OperationFault('ABORTED', 'The connection of the page has ended', {
    status: 499,
    mayHaveRun,
  });
}

/** The page gets only what the schema knows. The log gets the place and the rule, never the value. */
async function parseOutput({ name, definition }: NamedOperation, value: unknown): Promise<unknown> {
  const parsed = await definition.output.safeParseAsync(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = (issue?.path ?? []).map((part) => `/${String(part)}`).join('');
  const expected = issue?.code === 'invalid_type' ? `expected ${issue.expected}` : issue?.code;
  const place = at === '' ? '' : ` at ${at}`;
  throw new OperationFault('INTERNAL_ERROR', 'Something went wrong', {
    status: 500,
    mayHaveRun: true,
    cause: new TypeError(`The output of ${name} does not fit its schema${place}: ${expected}`),
  });
}
