/** Operators' actions without a server, for the command `dowel`. */
import { openExistingStore } from '@dowel/installation-store';
import type { ActionName, AuditList, AuditQuery } from '@dowel/schema';
import { createTokenClient } from '@dowel/token-client';
import type { Actor } from './actions/action-context.ts';
import { type ActionCall, type ActionOutcome, performAction } from './actions/perform-action.ts';
import { internalOrigins } from './app-context.ts';
import { readConfig } from './configuration.ts';

export interface OperatorActions {
  /** Does one action; the audit has a row of it. */
  perform<Name extends ActionName>(actor: Actor, call: ActionCall<Name>): Promise<ActionOutcome>;
  /** The newest rows first. */
  audit(query: AuditQuery): Promise<AuditList>;
  /** Resolves when no token request is under way, and the database is closed. */
  close(): Promise<void>;
}

/**
 * Opens the database and the keys that the back end uses, for the actions of an operator. The back end may run.
 *
 * @example
 * const actions = await openActions(environment);
 * const outcome = await actions.perform(actor, { action: 'refresh', installationId, request });
 * await actions.close();
 *
 * @param environment the variables `DOWEL_…` of the back end.
 * @throws ConfigError, StoreError; nothing was written.
 */
export async function openActions(
  environment: Record<string, string | undefined>,
): Promise<OperatorActions> {
  const { database, keyFile, profile, trustRules, internalHosts } = readConfig(environment);
  const store = await openExistingStore({ database, keyFile });
  const tokenClient = createTokenClient({
    store,
    profile,
    internalOrigins: internalOrigins({ trustRules, internalHosts }),
  });
  const context = { store, tokenClient, now: Date.now };
  return {
    perform: (actor, call) => performAction(context, actor, call),
    audit: (query) => store.audit.list(query),
    async close() {
      await tokenClient.drain();
      await store.close();
    },
  };
}
