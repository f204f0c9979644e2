/**
 * One call of an operation, from its request to its answer: session, limit, scopes, input, run, output. What the
 * table does not name cannot be called.
 */
import type { Store } from '@dowel/installation-store';
import { ApiError, type SessionInstallation } from '../base/errors.ts';
import { bindLog } from '../log/bind-log.ts';
import type { Log } from '../log/log.ts';
import type { Observe } from '../observation.ts';
import { readJsonText } from '../request/read-body.ts';
import type { ServerAnswer, ServerRequest } from '../request/server-request.ts';
import {
  type CallingSession,
  requireSession,
  type SessionCheck,
} from '../sessions/require-session.ts';
import { notificationCalls, takePlace } from './call-limits.ts';
import { answerFault, answerJson, OperationFault, toFault } from './operation-fault.ts';
import type { NamedOperation } from './operation-table.ts';
import { type PerformContext, performOperation, type Started } from './perform-operation.ts';

export interface OperationsContext extends SessionCheck, PerformContext {
  store: Pick<Store, 'sessions' | 'installations'>;
  operations: ReadonlyMap<string, NamedOperation>;
  observe: Observe;
}

/** The progress of a call, for the observer. */
interface Progress extends Started {
  startedAt: number;
  operation?: string;
  /** Undefined: the session was not found. */
  installation: SessionInstallation | undefined;
}

const maxInputBytes = 1_048_576;
const maxSmallBytes = 16_384;

/** Answers a call of an operation. It never throws. */
export async function runOperation(
  context: OperationsContext,
  request: ServerRequest,
): Promise<ServerAnswer> {
  const progress: Progress = {
    startedAt: performance.now(),
    installation: undefined,
    hasStarted: false,
  };
  try {
    const answer = answerJson(await admitAndPerform(context, request, progress));
    report(context, progress, { status: answer.status, code: null });
    return answer;
  } catch (error) {
    const fault = toFault(error, progress);
    const { operation } = progress;
    logFault(bindLog(context.logger, { operation, requestId: request.requestId }), fault);
    report(context, progress, fault);
    return answerFault(fault);
  }
}

async function admitAndPerform(
  context: OperationsContext,
  request: ServerRequest,
  progress: Progress,
): Promise<unknown> {
  const operation = findOperation(context, request);
  progress.operation = operation.name;
  const { session, text } = await admitCall(context, operation, request);
  progress.installation = { id: session.installationId, generation: session.generation };
  return performOperation(context, operation, { session, text, request }, progress);
}

/** Calls the observer at the end of a call of an existing operation. */
function report(
  { observe, plugin: { name: plugin } }: OperationsContext,
  { operation, installation, startedAt }: Progress,
  { status, code }: { status: number; code: string | null },
): void {
  if (operation === undefined) return;
  const installationId = installation?.id ?? null;
  const durationMs = Math.round(performance.now() - startedAt);
  observe({ type: 'operation.ended', plugin, operation, installationId, status, code, durationMs });
}

function findOperation({ operations }: OperationsContext, request: ServerRequest): NamedOperation {
  const { path } = request;
  const operation = operations.get(path.slice(path.lastIndexOf('/') + 1));
  if (!operation) throw new ApiError('NOT_FOUND', 'There is no such operation');
  if (request.method !== 'POST') {
    throw new ApiError('METHOD_NOT_ALLOWED', 'Operations are called by POST', {
      headers: { Allow: 'POST' },
    });
  }
  return operation;
}

/**
 * Returns the session and the text of the input. Callers without permission are refused before a large body is read.
 */
async function admitCall(
  context: OperationsContext,
  operation: NamedOperation,
  request: ServerRequest,
): Promise<{ session: CallingSession; text: string }> {
  const early = isSmall(request) ? await readJsonText(request, maxInputBytes) : undefined;
  const session = await authorize(context, operation, request);
  takeTurn(context, operation, session);
  if (early !== undefined) return { session, text: early };
  const text = await readJsonText(request, maxInputBytes);
  // The session may have ended while the body was read.
  return { session: await authorize(context, operation, request), text };
}

/**
 * A small body costs no more than finding the session. So it is read first, and the session is found only once, after
 * it.
 */
function isSmall(request: ServerRequest): boolean {
  const length = request.header('content-length');
  return length !== undefined && Number(length) <= maxSmallBytes;
}

async function authorize(
  context: OperationsContext,
  { definition }: NamedOperation,
  request: ServerRequest,
): Promise<CallingSession> {
  const session = await requireSession(context, request);
  // Uses the scopes of the stored tokens: a platform may withdraw one.
  const missing = definition.scopes.find((scope) => !session.grantedScopes.includes(scope));
  // control H13
  if (missing === undefined) return session;
  throw new ApiError('SCOPE_MISSING', `The plug-in was not granted ${missing} here`);
}

function takeTurn(
  { gate, plugin }: OperationsContext,
  { countedAs, limits }: NamedOperation,
  session: CallingSession,
): void {
  // Another plug-in may have an operation of the same name. Notifications are those of all plug-ins.
  const operation = countedAs === notificationCalls ? countedAs : `${plugin.name}.${countedAs}`;
  const retryAfterMs = takePlace(gate, { operation, ...session }, limits);
  if (retryAfterMs === undefined) return;
  const message = 'Too many calls in a short time';
  throw new OperationFault('RATE_LIMITED', message, { status: 429, retryAfterMs });
}

function logFault(log: Log, { status, code, cause }: OperationFault): void {
  // Without a cause the answer was chosen on purpose.
  if (status < 500 || cause === undefined) return;
  log[code === 'INTERNAL_ERROR' ? 'error' : 'warn']({ code, err: cause }, 'operation.failed');
}
