/** What the actions of operators need, and who acts. */
import type { OperatedInstallation, Store } from '@dowel/installation-store';
import type {
  ActionEffect,
  ActionName,
  ActionRequest,
  ActionResult,
  AuditWay,
  OperatorRole,
} from '@dowel/schema';
import type { TokenClient } from '@dowel/token-client';

export interface ActionContext {
  store: Store;
  tokenClient: Pick<TokenClient, 'refreshNow' | 'askForEvent' | 'testConnection'>;
  /** Epoch milliseconds. */
  now: () => number;
}

/** Who acts, as the audit names it. */
export interface Actor {
  who: string;
  role: OperatorRole;
  way: AuditWay;
  /** The address of the request, or the machine's name; null if unknown. */
  from: string | null;
}

/** What one action knows. */
export interface Deed<Name extends ActionName = ActionName> {
  actor: Actor;
  installation: OperatedInstallation;
  request: ActionRequest<Name>;
}

/** What was done. */
export type Done = Omit<ActionResult, 'action' | 'installationId' | 'auditId'>;

export const done = (effect: ActionEffect, message: string): Done => ({
  outcome: 'done',
  effect,
  message,
});

/** It was so before. */
export const unchanged = (effect: ActionEffect, message: string): Done => ({
  outcome: 'unchanged',
  effect,
  message,
});
