/** One action of an operator: role, row of the audit, work, result. */
import {
  type ActionFailure,
  type ActionName,
  type ActionRefusal,
  type ActionRequest,
  type ActionResult,
  type AuditMeaning,
  actionRoles,
  mayAct,
} from '@dowel/admin-api';
import { type AuditEnding, recordAction } from '@dowel/installation-store';
import type { ActionContext, Actor, Done, RequestedAction } from './action-context.ts';
import { ActionFailedError, ActionRefusedError, unknownInstallation } from './action-errors.ts';
import {
  acknowledge,
  dropHook,
  end,
  endSessions,
  keep,
  pause,
  purge,
  rename,
  replayHook,
  resume,
  targetOf,
} from './record-actions.ts';
import { ask, refresh, test } from './token-actions.ts';

export interface ActionCall<Name extends ActionName = ActionName> {
  action: Name;
  installationId: string;
  request: ActionRequest<Name>;
  /** The run that this action is part of. */
  runId?: string;
}

export type ActionOutcome = ActionResult | ActionRefusal | ActionFailure;

type Perform<Name extends ActionName> = (
  context: ActionContext,
  requested: RequestedAction<Name>,
) => Promise<Done>;

/** Each action, and what a refusal says was not done. */
const actions: { [Name in ActionName]: { perform: Perform<Name>; undone: string } } = {
  refresh: { perform: refresh, undone: 'The tokens were not refreshed.' },
  ask: { perform: ask, undone: 'No new event was asked for.' },
  test: { perform: test, undone: 'The connection was not tested.' },
  pause: { perform: pause, undone: 'The installation was not paused.' },
  resume: { perform: resume, undone: 'The installation was not resumed.' },
  end: { perform: end, undone: 'The installation was not ended.' },
  'end-sessions': { perform: endSessions, undone: 'No session was ended.' },
  'replay-hook': { perform: replayHook, undone: 'The hook was not replayed.' },
  'drop-hook': { perform: dropHook, undone: 'The hook was not dropped.' },
  keep: { perform: keep, undone: 'The record is not kept longer.' },
  purge: { perform: purge, undone: 'Nothing was purged.' },
  name: { perform: rename, undone: 'Name and notes were not changed.' },
  acknowledge: { perform: acknowledge, undone: 'Nothing was marked as seen.' },
};

/**
 * Does one action, with a row in the audit that is there before it and has the result after it, also when the
 * action is refused or fails.
 *
 * @throws what the store throws: then the result in the audit may stay `begun`.
 */
export async function performAction<Name extends ActionName>(
  context: ActionContext,
  actor: Actor,
  call: ActionCall<Name>,
): Promise<ActionOutcome> {
  const { audit, operators } = context.store;
  const { action, installationId, request, runId = null } = call;
  const installation = await operators.find(installationId);
  const perform = async (): Promise<Done> => {
    requireRole(actor, action);
    if (!installation) throw unknownInstallation();
    return actions[action].perform(context, { actor, installation, request });
  };
  return recordAction<ActionOutcome>(audit, {
    entry: {
      ...actor,
      action,
      installationId,
      target: installation ? targetOf(installation) : null,
      reason: request.reason,
      runId,
    },
    act: (auditId) =>
      perform().then(
        (done) => ({ ...done, action, installationId, auditId }),
        (error: unknown) => answerOf(error, { action, auditId }),
      ),
    endingOf: (outcome) => endingOf(outcome, actor, call),
  });
}

/** @throws ActionRefusedError `role_missing` */
function requireRole({ role }: Actor, action: ActionName): void {
  if (mayAct(role, action)) return;
  const why = `This needs the role ${actionRoles[action]}; yours is ${role}.`;
  throw new ActionRefusedError('role_missing', why, 'Ask somebody who has it.');
}

function endingOf(outcome: ActionOutcome, actor: Actor, call: ActionCall): AuditEnding {
  const meaning = meaningOf(outcome, actor, call);
  if (!('code' in outcome)) return { result: outcome.outcome, detail: outcome.message, meaning };
  const result = outcome.code === 'ACTION_REFUSED' ? 'refused' : 'failed';
  return { result, detail: `${outcome.why} ${outcome.instead}`, meaning };
}

function meaningOf(
  outcome: ActionOutcome,
  { role: own }: Actor,
  { action, request }: ActionCall,
): AuditMeaning {
  if (!('code' in outcome)) {
    const { effect, tokenVersion, sessions, call } = outcome;
    const keptUntil = 'until' in request ? request.until : undefined;
    return { kind: 'effect', effect, tokenVersion, sessions, call, keptUntil };
  }
  if (outcome.code === 'ACTION_FAILED') {
    return { kind: 'failure', failure: outcome.failure, reason: outcome.reason };
  }
  const { refusal } = outcome;
  if (refusal === 'role_missing') {
    return { kind: 'role_missing', needed: actionRoles[action], own };
  }
  return { kind: 'refusal', refusal };
}

/** @throws every other error */
function answerOf(
  error: unknown,
  { action, auditId }: { action: ActionName; auditId: number },
): ActionRefusal | ActionFailure {
  const what = actions[action].undone;
  if (error instanceof ActionRefusedError) {
    const { refusal, explanation } = error;
    const message = `${what} ${error.message}`;
    return { code: 'ACTION_REFUSED', refusal, message, what, ...explanation, auditId };
  }
  if (!(error instanceof ActionFailedError)) throw error;
  const message = `${what} ${error.message}`;
  const { failure, reason, explanation } = error;
  return {
    code: 'ACTION_FAILED',
    failure,
    ...(reason !== undefined && { reason }),
    message,
    what,
    ...explanation,
    auditId,
  };
}

/** The HTTP status of an outcome. */
export function statusOf(outcome: ActionOutcome): number {
  if (!('code' in outcome)) return 200;
  if (outcome.code === 'ACTION_FAILED') return 502;
  if (outcome.refusal === 'role_missing') return 403;
  return outcome.refusal === 'unknown_installation' ? 404 : 409;
}
