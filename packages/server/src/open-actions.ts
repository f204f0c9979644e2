/** Operators' actions without a server, for the command `dowel`. */
import { type ApplyChange, openExistingStore, type Store } from '@dowel/installation-store';
import type {
  ActionName,
  AlertChannel,
  Alerts,
  AlertTestResult,
  AuditList,
  AuditQuery,
  EndSilenceRequest,
  EraseUserRequest,
  EraseUserResult,
  SilenceRequest,
} from '@dowel/schema';
import { createTokenClient } from '@dowel/token-client';
import type { Actor } from './actions/action-context.ts';
import { describeAlerts, endSilence, silenceAlert, testAlerts } from './actions/alert-actions.ts';
import { eraseUser } from './actions/erase-user.ts';
import { type ActionCall, type ActionOutcome, performAction } from './actions/perform-action.ts';
import { createAlertsContext } from './alerts/alerts-context.ts';
import { internalOrigins } from './app-context.ts';
import {
  alertNames,
  assertSame,
  callNames,
  hasRecordedHook,
  listDifferences,
  readBackEnd,
} from './back-end-facts.ts';
import { silentLog } from './log/log.ts';
import type { EffectiveFacts } from './settings/describe-settings.ts';
import { readConfiguration } from './settings/read-configuration.ts';

/** The actions that send something to the platform. */
const callingActions: readonly ActionName[] = ['refresh', 'ask', 'test'];

/** Each action has a row in the audit. They throw an error with `code` `ROLE_MISSING` or `NOT_FOUND`. */
export interface OperatorAlerts {
  /** Open and recent alerts, silences, and the last messages. */
  describe(): Promise<Alerts>;
  /** Also before an alert of the rule opens. */
  silence(actor: Actor, request: SilenceRequest): Promise<void>;
  /** @returns false: it was not silenced. */
  endSilence(actor: Actor, request: EndSilenceRequest): Promise<boolean>;
  /** Returns one line for each setting of alerts that differs from the back end's. */
  listDifferences(): Promise<string[]>;
  /** Sends a message now. @throws ConfigError when the back end's settings differ; nothing was sent. */
  test(actor: Actor, request: { channel: AlertChannel; reason: string }): Promise<AlertTestResult>;
}

export interface OperatorActions {
  /**
   * Does one action; the audit has a row of it.
   *
   * @throws ConfigError for an action that calls the platform, when the back end's settings differ; nothing was begun.
   */
  perform<Name extends ActionName>(actor: Actor, call: ActionCall<Name>): Promise<ActionOutcome>;
  /** Erases what is stored of a user of the platform. */
  eraseUser(actor: Actor, request: EraseUserRequest): Promise<EraseUserResult>;
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
 * const outcome = await actions.perform(actor, { action: 'pause', installationId, request });
 * await actions.close();
 *
 * @param environment the variables `DOWEL_…` of the back end.
 * @throws ConfigError, StoreError; nothing was written.
 */
export async function openActions(
  environment: Record<string, string | undefined>,
): Promise<OperatorActions> {
  const options = { environment };
  const configuration = readConfiguration(options);
  const { database, keyFile, profile, apiOrigins } = configuration;
  const store = await openExistingStore({ database, keyFile });
  const own: EffectiveFacts = { configuration, options, plugins: [], port: undefined };
  const tokenClient = createTokenClient({
    store,
    profile,
    internalOrigins: internalOrigins(configuration),
    apiOrigins,
    applied: tellHooks,
  });
  const context = { store, tokenClient, applied: tellHooks, now: Date.now };
  const alerts = await createOwnAlerts(store, own);
  const differencesOf = async (names: Parameters<typeof listDifferences>[2]) =>
    listDifferences(await readBackEnd(store), own, names);
  return {
    async perform(actor, call) {
      if (callingActions.includes(call.action)) assertSame(await differencesOf(callNames));
      return performAction(context, actor, call);
    },
    eraseUser: (actor, request) => eraseUser(store, actor, request),
    audit: (query) => store.audit.list(query),
    alerts: {
      describe: () => describeAlerts(alerts, 'owner'),
      silence: (actor, request) => silenceAlert(store, actor, request),
      endSilence: (actor, request) => endSilence(store, actor, request),
      // Before the first start of the back end nothing can differ.
      listDifferences: async () => ((await readBackEnd(store)) ? differencesOf(alertNames) : []),
      async test(actor, request) {
        assertSame(await differencesOf(alertNames));
        return testAlerts(alerts, actor, request);
      },
    },
    async close() {
      await tokenClient.drain();
      await store.close();
    },
  };
}

/** When a command ends an outage or an installation, the back end's hooks are called. */
const tellHooks: ApplyChange = async (stores, change) => {
  const record = await readBackEnd(stores);
  if (!record || !hasRecordedHook(record, change.plugin, change.event)) return;
  await stores.hooks.append(change);
};

async function createOwnAlerts(store: Store, { configuration }: EffectiveFacts) {
  const record = await readBackEnd(store);
  return createAlertsContext({
    settings: configuration.alerts,
    store,
    publicUrl: configuration.adminUrl,
    pluginName: record?.pluginName ?? '',
    internalOrigins: internalOrigins(configuration),
    database: { isAvailable: true },
    logger: silentLog,
    now: Date.now,
  });
}
