/** The context of operators' actions, and the actor. */
import type {
  ActionEffect,
  ActionName,
  ActionRequest,
  ActionResult,
  AuditWay,
  OperatorIdentity,
  OperatorRole,
} from '@dowel/admin-api';
import type { ApplyChange, OperatedInstallation, Store } from '@dowel/installation-store';
import type { TokenClient } from '@dowel/token-client';

export interface ActionContext {
  store: Store;
  tokenClient: Pick<TokenClient, 'refreshNow' | 'askForEvent' | 'testConnection'>;
  /** Writes what the plug-ins' hooks must receive. */
  applied: ApplyChange;
  /** Epoch milliseconds. */
  now: () => number;
}

/** The person who acts, as named in the audit. */
export interface Actor {
  who: string;
  role: OperatorRole;
  way: AuditWay;
  /** The address of the request, or the machine's name; null if unknown. */
  from: string | null;
  /** Left out: the machine's user, by a command. */
  identity?: OperatorIdentity | null | undefined;
}

/** The input of one action. */
export interface RequestedAction<Name extends ActionName = ActionName> {
  actor: Actor;
  installation: OperatedInstallation;
  request: ActionRequest<Name>;
}

/** The result of an action. */
export type Done = Omit<ActionResult, 'action' | 'installationId' | 'auditId'>;

export const done = (effect: ActionEffect, message: string): Done => ({
  outcome: 'done',
  effect,
  message,
});

/** The action had nothing to change. */
export const unchanged = (effect: ActionEffect, message: string): Done => ({
  outcome: 'unchanged',
  effect,
  message,
});
