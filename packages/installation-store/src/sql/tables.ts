/** The tables, as types for Kysely. Columns that end in `_sealed` hold ciphertext. */
import type {
  AlertChannel,
  AlertDelivery,
  AlertMessageKind,
  AlertRule,
  AuditEntry,
  Condition,
  DashboardLanguage,
  Delivery,
  OperatorRole,
  Run,
  RunAction,
  ShapeKind,
  SignInMethod,
  StateGroup,
} from '@dowel/admin-api';
import type { CallReason, InstallationStatus, LifecycleEventName } from '@dowel/schema';
import type { TokenOperationEntry } from '@dowel/token-client';
import type { Generated } from 'kysely';

/** The changes of an installation that a plug-in's hooks can receive. */
export type HookEvent =
  | 'installed'
  | 'tokensReceived'
  | 'instanceAdded'
  | 'instanceRemoved'
  | 'broken'
  | 'recovered'
  | 'uninstalled';

/** `superseded`: it was parked, and its generation ended before it was replayed, or an operator dropped it. */
type HookState = 'waiting' | 'delivered' | 'parked' | 'superseded';

/** The event that begins a life. It may be an access_token event, because a manifest may name no install event. */
type LifeBeginning = 'install' | 'access_token';

/** The hold of exchanges that overlap. None of them ends it: it ends at its time. */
export const severalCodes = 'several';

/** What ended an outage. */
export type OutageEnd = 'refresh' | 'event' | 'uninstall' | 'install' | 'pause' | 'call';

/** What happened in a minute, of all processes. */
type RateColumns = {
  refreshed: Generated<number>;
  refresh_failed: Generated<number>;
  events: Generated<number>;
  refused: Generated<number>;
  shed: Generated<number>;
  calls_succeeded: Generated<number>;
  calls_failed: Generated<number>;
  calls_refused: Generated<number>;
  /** All calls: up to 50 ms, up to 100 ms and so on. */
  calls_50: Generated<number>;
  calls_100: Generated<number>;
  calls_250: Generated<number>;
  calls_500: Generated<number>;
  calls_1000: Generated<number>;
  calls_2500: Generated<number>;
  calls_10000: Generated<number>;
  calls_slower: Generated<number>;
};

export interface Tables {
  installations: {
    id: string;
    issuer: string;
    /** The spelling of the issuer that the secrets are sealed with; null: `issuer`. */
    sealed_issuer: Generated<string | null>;
    tenant_id: string;
    plugin_id: string;
    status: InstallationStatus;
    generation: number;
    token_version: number;
    /** `iat` of the event that began this life, or of a newer install. 0: no event proves a life. */
    began_iat: number;
    /** The event that began this life. Null: none has, or it began before this column existed. */
    began_by: Generated<LifeBeginning | null>;
    /** The digest of the access_token event that began this life; null when an install did. */
    began_code: Generated<string | null>;
    /** `iat` of the newest install of this life; null if there was none. */
    installed_iat: Generated<number | null>;
    ended_iat: number | null;
    applied_iat: number | null;
    created_at: number;
    error_reason: string | null;
    error_at: number | null;
    /** When the last uninstall came, database clock; null while the installation lives. */
    ended_at: number | null;
    /** Database clock. */
    next_trigger_at: number | null;
    /** Triggers sent for this token version. */
    triggers: Generated<number>;
    /**
     * When it is looked at next, because only a new event can repair it: its grant is dead, or its exchange
     * left an intent behind. Null: nothing is to be repaired. Database clock.
     */
    heal_at: Generated<number | null>;
    /** The plug-in whose URL received its first event: a name that the back end chose; '' for the only one. */
    plugin: Generated<string>;
    /** The newest generation that became usable: its plug-in could work. 0: none did. */
    usable_generation: Generated<number>;
    /** 1: this life began, and the plug-in's `beforeInstall` has not let it in yet. */
    awaits_admission: Generated<number>;
    /** Since when it has had no usable access token, once `broken` was written. Database clock. */
    broken_since: Generated<number | null>;
    /** Since when it is paused; null: it is not. Database clock, like `kept_until`. */
    paused_at: Generated<number | null>;
    /** The operator; null: it rests by itself, because its tenant has a newer address. */
    paused_by: Generated<string | null>;
    pause_reason: Generated<string | null>;
    /**
     * Since when its tenant has had tokens under another issuer of the same platform; null: no newer address is known,
     * or this one was used since then. Database clock.
     */
    moved_at: Generated<number | null>;
    /** When the last trigger was claimed. Database clock. */
    triggered_at: Generated<number | null>;
    /** An operator keeps the tombstone until then. */
    kept_until: Generated<number | null>;
    /** The generation whose refused install left the lists: an operator has seen it, or a week has passed. */
    acknowledged_generation: Generated<number | null>;
    /** Given by an operator; '' without. */
    name: Generated<string>;
    notes: Generated<string>;
    /** What the dashboard shows, with the time: only `settleCondition` changes it. Null: not settled yet. */
    condition: Generated<Condition | null>;
    /** Why it is in trouble; null when it is not. Changed like `condition`. */
    cause: Generated<string | null>;
    /**
     * From when it is without access: in the future while a failing installation still has a valid token. Null:
     * it is not in trouble. Changed like `condition`. Database clock.
     */
    unhealthy_since: Generated<number | null>;
    /** The scopes of the newest token set of this life; kept after the uninstall. Null: it never had one. */
    granted_scopes: Generated<string | null>;
    /** When these scopes were granted. */
    scopes_at: Generated<number | null>;
    /** The end of the newest access token as the platform named it, also after the grant died. */
    token_expires_at: Generated<number | null>;
    /** When an event came, to a minute. */
    last_event_at: Generated<number | null>;
    /** 1: a page of it has named a placed instance, so its other pages must, too (docs/decisions/0023). */
    src_matched: Generated<number>;
    /** The form of a `src` that named no placed instance, before any did. Null: there was none. */
    src_form: Generated<string | null>;
    /** What the list's search looks through: see `searchTextOf`. */
    search_text: Generated<string>;
  };
  /** How many installations have each condition and cause: the sum of `n`. Rows are added up once a minute. */
  condition_counts: {
    id: Generated<number>;
    condition: Condition;
    cause: string | null;
    n: number;
  };
  /** Times without reliable access, one row each. Database clock. */
  outages: {
    id: Generated<number>;
    installation_id: string;
    generation: number;
    cause: string | null;
    began_at: number;
    /** See `installations.unhealthy_since`. Null: an older version wrote the row. */
    access_ends_at: Generated<number | null>;
    ended_at: Generated<number | null>;
    ended_by: Generated<OutageEnd | null>;
  };
  /** Calls of an installation that fails, by process. An installation whose calls succeed has no row. Database clock. */
  call_evidence: {
    installation_id: string;
    /** Random; a process that starts again is another one. */
    process: string;
    last_success_at: number | null;
    /** The first failure since the last success, how many there were, and the newest. Null: there was none. */
    failing_since: number | null;
    failures: number;
    last_failure_at: number | null;
    reason: CallReason | null;
    status: number | null;
    written_at: number;
  };
  /** Failed calls, and a sample of those that succeeded. Equal failures are one row. Times by the database's clock. */
  call_log: {
    /** Unique: an entry that is added again is stored once. */
    id: string;
    installation_id: string;
    /** When the last of these calls ended. */
    at: number;
    first_at: number;
    n: number;
    operation: string | null;
    method: string;
    path: string;
    host: string | null;
    status: number | null;
    /** Null: it succeeded. */
    reason: CallReason | null;
    fault: string | null;
    duration_ms: number;
    attempts: number;
    request_id: string | null;
    user_id: string | null;
    answer: string | null;
  };
  grants: {
    installation_id: string;
    generation: number;
    token_version: number;
    base_url: string;
    client_id: string;
    client_secret_sealed: string;
    token_endpoint_url: string;
    trigger_url: string | null;
    trigger_body_sealed: string | null;
    access_token_sealed: string;
    refresh_token_sealed: string | null;
    granted_scopes: string;
    issued_at: number;
    expires_at: number | null;
    lease_owner: string | null;
    /** Database clock, like every `_at` and `_until` of the lease. */
    lease_until: number | null;
    lease_sequence: Generated<number>;
    /**
     * The digest of a code that is being exchanged, or {@link severalCodes}. No lease is granted before
     * `held_until`.
     */
    held_for: string | null;
    held_until: number | null;
    /** Times the refresh token was presented without an answer being read. */
    presented: Generated<number>;
    /**
     * Presentations of the refresh token that may still arrive at the server, including those that a gateway
     * answered.
     */
    unanswered: Generated<number>;
    /** 1: a request from before these tokens were issued may still arrive and revoke them. */
    in_doubt: Generated<number>;
    failures: Generated<number>;
    next_refresh_at: number | null;
    /** When the token bucket is full again. */
    bucket_full_at: number | null;
    /** Since when this token set could not be renewed. Null: no refresh of it has failed. Database clock. */
    failing_since: Generated<number | null>;
    /**
     * When it is looked at without a call. Null: no refresh of it has failed, its installation is paused, or it is
     * dead and there is nothing left to report.
     */
    probe_at: Generated<number | null>;
  };
  exchange_intents: {
    installation_id: string;
    generation: number;
    iat: number;
    code_digest: string;
    /** Names the newest presentation. */
    attempt: Generated<string | null>;
    /** Times the code was presented without an answer being read. */
    presented: number;
    /** Presentations that may still arrive at the server, of this code and of those before it. */
    unanswered: Generated<number>;
    base_url: string;
    trigger_url: string | null;
    trigger_body_sealed: string | null;
    /** Database clock. */
    started_at: number;
    /** The code that is being exchanged, or {@link severalCodes}. The first grant takes over this hold. */
    held_for: Generated<string | null>;
    held_until: Generated<number | null>;
  };
  /** Widgets that the platform has placed, and those that it has removed. */
  instances: {
    installation_id: string;
    instance_id: string;
    /** `iat` of the newest event about it; 0 if it is from before this column existed. */
    changed_iat: Generated<number>;
    removed: Generated<number>;
  };
  events: {
    id: Generated<number>;
    installation_id: string;
    event: LifecycleEventName;
    received_at: number;
    duration_ms: number;
    status: number;
    reason: string | null;
    /** JSON of an `EventDetail`; null: an earlier version recorded the event. */
    detail: Generated<string | null>;
  };
  inbox: {
    installation_id: string;
    digest: string;
    received_at: number;
    /** Null once decided. */
    owner: string | null;
    /** Database clock. */
    claimed_until: number | null;
    /** Null until decided. */
    status: number | null;
    reason: string | null;
    /** `iat` of an access_token event, whose code ends with the life; null for other events. */
    code_iat: Generated<number | null>;
    /** The plug-in's own text of a refusal. */
    message: Generated<string | null>;
  };
  /** One per installation that has ever had a hook delivery. */
  hook_streams: {
    installation_id: string;
    next_sequence: number;
    /** No delivery before this one waits. Saves an index of waiting ones, which each event would change. */
    head_sequence: Generated<number>;
    /** When its first waiting delivery may run, or its lease ends. Null: nothing waits. Database clock. */
    due_at: number | null;
    /** The process that runs its first delivery; null between two runs. */
    lease_owner: Generated<string | null>;
    /** Increases with every lease, so a worker that was too slow changes nothing. */
    lease_sequence: Generated<number>;
  };
  /** The outbox: what each plug-in's hooks must receive, in the order of the commits. */
  hook_deliveries: {
    installation_id: string;
    sequence: number;
    generation: number;
    event: HookEvent;
    /** JSON without secrets. */
    data: string;
    /** Database clock. */
    occurred_at: number;
    state: HookState;
    /** Runs that began. */
    attempts: Generated<number>;
    replays: Generated<number>;
    /** Since when it is the first of its stream and no process has had a hook for it. */
    unhandled_since: Generated<number | null>;
    last_error: Generated<string | null>;
    settled_at: Generated<number | null>;
  };
  token_operations: {
    id: Generated<number>;
    installation_id: string;
    operation: TokenOperationEntry['operation'];
    started_at: number;
    duration_ms: number;
    succeeded: number;
    token_version: number | null;
    reason: string | null;
  };
  plugin_sessions: {
    token_hash: string;
    installation_id: string;
    generation: number;
    /** '' once the user was erased. */
    user_id: string;
    instance_id: string;
    init_jti: string;
    expires_at: number;
    /** 1: its page named no placed instance, and was let in all the same. */
    unmatched: Generated<number>;
    /** JSON of the claims that the caller is made of. Null: none are kept, or the session has ended. */
    claims_sealed: Generated<string | null>;
  };
  admin_sessions: {
    token_hash: string;
    /** The absolute limit. */
    expires_at: number;
    /** When it ends unless it is used before. */
    idle_at: number;
    /** Names the session without being its token. */
    id: string;
    /** The name of the operator. */
    name: string;
    role: OperatorRole;
    method: SignInMethod;
    /** JSON of an `OperatorIdentity`. Null: an older version opened it. */
    identity: Generated<string | null>;
    /** The revision of the account at sign-in; null without an account. */
    account_revision: string | null;
    created_at: number;
    /** Of the sign-in. Null: an older version opened the session. */
    address: Generated<string | null>;
    /** By the User-Agent of the sign-in. Null: unknown. */
    browser: Generated<string | null>;
    system: Generated<string | null>;
    /** The ID token of the sign-in at an identity provider, which gets it back at the sign-out. */
    id_token_sealed: Generated<string | null>;
  };
  operator_accounts: {
    name: string;
    role: OperatorRole;
    /** Contains its parameters: see passwords.ts. Empty: the person has set none yet. */
    password_hash: string;
    /** Replaced by each change, which ends the account's sessions. */
    revision: string;
    created_at: number;
    /** The digest of the newest link for a password. */
    link_digest: Generated<string | null>;
    /** Null while there is a digest: the link was used. */
    link_expires_at: Generated<number | null>;
  };
  /** The language that an operator chose for the dashboard. Not every operator has an account. */
  operator_languages: { method: SignInMethod; name: string; language: DashboardLanguage };
  /** One-time codes that were not used yet. */
  sign_in_codes: { digest: string; name: string; expires_at: number };
  /** `used_at` by the database's clock. */
  key_locations: { location: string; used_at: number };
  /** One row, with the id 1. */
  back_end: { id: number; admin_url: string };
  /** Periodic work, done by the first process that asks when it is due. */
  maintenance: { name: string; due_at: number };
  /** The change log. Its rows are written in the transactions that they are about, and cut by maintenance. */
  changes: {
    id: Generated<number>;
    installation_id: string;
    /** 1: the token set or the life changed. */
    of_tokens: number;
    /** The store that made the change. */
    origin: string;
  };
  /** What operators did. No reference to the installation: the row outlives it. */
  audit: {
    id: Generated<number>;
    /** Database clock. */
    at: number;
    who: string;
    role: AuditEntry['role'];
    way: AuditEntry['way'];
    from_address: string | null;
    action: string;
    installation_id: string | null;
    target: string | null;
    reason: string | null;
    result: AuditEntry['result'];
    detail: Generated<string | null>;
    /** JSON of an `AuditMeaning`. */
    meaning: Generated<string | null>;
    run_id: string | null;
    /** JSON of an `OperatorIdentity`. Null: a command, or an older version. */
    identity: Generated<string | null>;
    /** How often it was refused within a day. */
    count: Generated<number>;
    /** The last time that it was refused again. Null: it was not. */
    last_at: Generated<number | null>;
  };
  /** One row per run. Times by the database's clock. */
  runs: {
    id: string;
    action: RunAction;
    reason: string;
    who: string;
    role: AuditEntry['role'];
    way: AuditEntry['way'];
    from_address: string | null;
    /** JSON of an `OperatorIdentity`. Null: a command, or an older version. */
    identity: Generated<string | null>;
    /** The revision of the account that began it; null: none. */
    account_revision: string | null;
    state: Run['state'];
    /** 0: not all of its installations are written yet, or its beginning was cut off. */
    is_whole: Generated<number>;
    started_at: number;
    ended_at: Generated<number | null>;
    total: number;
    /** How many installations were taken. */
    position: number;
    done: number;
    unchanged: number;
    refused: number;
    failed: number;
    /** JSON: how many were refused, by reason. */
    refusals: string;
    /** The newest claim of a process that works on it; null: there was none. */
    claim: Generated<string | null>;
    leased_until: number;
  };
  /** What a run takes, 500 installations in a row. */
  run_parts: { run_id: string; part: number; ids: string };
  /**
   * The fleet's history: per minute one row with the `cause` '', and one for each cause, whose `broken` is how many were
   * broken by it. No counts: no process has taken that minute's sample.
   */
  fleet_minutes: { at: number; cause: string } & RateColumns &
    Record<StateGroup, Generated<number | null>>;
  /** What was refused before it reached an installation, counted by hour and reason. */
  refusal_counts: {
    /** When the hour began. The times are by the clock of the process that refused. */
    hour_at: number;
    reason: string;
    n: number;
    first_at: number;
    last_at: number;
  };
  /**
   * The deliveries of the last days, and refused sessions: about 200 of each installation, and the newest ten of each
   * reason that belong to none.
   */
  deliveries: {
    id: string;
    /** When it arrived, by the clock of the process that answered. */
    at: number;
    event: Delivery['event'];
    plugin: string;
    /** Null: no installation is known. It may be gone. */
    installation_id: string | null;
    host: string;
    is_verified: number;
    status: number;
    reason: string | null;
    is_repeat: number;
    duration_ms: number | null;
    off_by_seconds: number | null;
    sender: string;
    request_id: string;
    body: string | null;
    /** JSON: a list of claims without secrets. */
    claims: string | null;
  };
  /** What the platform's events, pages and answers looked like. `id`: a digest of kind and shape. */
  shapes: {
    id: string;
    kind: ShapeKind;
    shape: string;
    n: number;
    first_at: number;
    last_at: number;
  };
  /** One row per alert. Times by the database's clock. */
  alerts: {
    id: string;
    rule: AlertRule;
    subject: string;
    since: number;
    /** Null: the rule was true once so far. */
    opened_at: number | null;
    /** Since when the rule has been false; null: it is true. */
    clear_since: Generated<number | null>;
    recovered_at: Generated<number | null>;
    /** JSON without secrets. */
    facts: string;
    peak: number;
  };
  /** The messages for each channel. */
  alert_messages: {
    id: string;
    channel: AlertChannel;
    kind: AlertMessageKind;
    /** Null for a test. */
    alert_id: string | null;
    /** JSON without secrets. */
    body: string;
    state: AlertDelivery['state'];
    /** Attempts that began. */
    attempts: number;
    created_at: number;
    /** When the next attempt may begin, or the lease of the current one ends. */
    due_at: number;
    settled_at: Generated<number | null>;
    last_error: Generated<string | null>;
    /** JSON of what `last_error` says. Null for rows of earlier versions. */
    last_answer: Generated<string | null>;
  };
  /** A known value under each key in use, to detect a wrong key before it is used. */
  key_checks: {
    key_id: string;
    value_sealed: string;
    created_at: number;
    /** When a process last reported that it seals with the key, by the database's clock. */
    sealing_at: number | null;
  };
}
