/** Operators' actions without a server, for the command `dowel`. */
import { openExistingStore } from '@dowel/installation-store';
import type {
  ActionName,
  AlertChannel,
  Alerts,
  AlertTestResult,
  AuditList,
  AuditQuery,
  EndSilenceRequest,
  SilenceRequest,
} from '@dowel/schema';
import { createTokenClient } from '@dowel/token-client';
import type { Actor } from './actions/action-context.ts';
import { describeAlerts, endSilence, silenceAlert, testAlerts } from './actions/alert-deeds.ts';
import { type ActionCall, type ActionOutcome, performAction } from './actions/perform-action.ts';
import { createAlertsContext } from './alerts/alerts-context.ts';
import { internalOrigins } from './app-context.ts';
import { readConfig } from './configuration.ts';
import { silentLog } from './log/log.ts';

/** Each deed has a row in the audit. They throw an error with `code` `ROLE_MISSING` or `NOT_FOUND`. */
export interface OperatorAlerts {
  /** What is open, silenced and was sent. */
  describe(): Promise<Alerts>;
  /** Also before an alert of the rule opens. */
  silence(actor: Actor, request: SilenceRequest): Promise<void>;
  /** @returns false: it was not silenced. */
  endSilence(actor: Actor, request: EndSilenceRequest): Promise<boolean>;
  /** Sends a message now. */
  test(actor: Actor, channel: AlertChannel): Promise<AlertTestResult>;
}

export interface OperatorActions {
  /** Does one action; the audit has a row of it. */
  perform<Name extends ActionName>(actor: Actor, call: ActionCall<Name>): Promise<ActionOutcome>;
  /** The newest rows first. */
  audit(query: AuditQuery): Promise<AuditList>;
  alerts: OperatorAlerts;
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
  const config = readConfig(environment);
  const { database, keyFile, profile, trustRules, internalHosts, publicUrl } = config;
  const store = await openExistingStore({ database, keyFile });
  const origins = internalOrigins({ trustRules, internalHosts });
  const tokenClient = createTokenClient({ store, profile, internalOrigins: origins });
  const context = { store, tokenClient, now: Date.now };
  const alerts = createAlertsContext({
    settings: config.alerts,
    store,
    publicUrl,
    pluginName: '',
    internalOrigins: origins,
    database: { isAvailable: true },
    logger: silentLog,
    now: Date.now,
  });
  return {
    perform: (actor, call) => performAction(context, actor, call),
    audit: (query) => store.audit.list(query),
    alerts: {
      describe: () => describeAlerts(alerts, 'owner'),
      silence: (actor, request) => silenceAlert(store, actor, request),
      endSilence: (actor, request) => endSilence(store, actor, request),
      test: (actor, channel) => testAlerts(alerts, actor, channel),
    },
    async close() {
      await tokenClient.drain();
      await store.close();
    },
  };
}
