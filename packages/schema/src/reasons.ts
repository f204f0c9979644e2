/**
 * All reasons why an event, a session, a token request or a trigger can fail, for log lines, metrics, the
 * database and the dashboard. The list is closed, so that no reason can repeat a secret. `docs/errors.md` and
 * the dashboard's sentences come from here.
 */

/** Who must act. `nobody`: it is harmless, or repairs itself. */
export type Actor = 'platform' | 'operator' | 'nobody';

export interface ReasonEntry {
  /** What happened, for the operator. */
  sentence: string;
  actor: Actor;
  /** The same event, request or call may succeed later without a change. */
  isTemporary: boolean;
  /** What the operator can change, for the log line of a refused event or init JWT. */
  fix?: string;
}

const platform = (sentence: string): ReasonEntry => ({
  sentence,
  actor: 'platform',
  isTemporary: false,
});
const operator = (sentence: string, fix?: string): ReasonEntry => ({
  sentence,
  actor: 'operator',
  isTemporary: false,
  ...(fix !== undefined && { fix }),
});
const nobody = (sentence: string): ReasonEntry => ({
  sentence,
  actor: 'nobody',
  isTemporary: false,
});
const temporary = (entry: ReasonEntry): ReasonEntry => ({ ...entry, isTemporary: true });
const fixable = (entry: ReasonEntry, fix: string): ReasonEntry => ({ ...entry, fix });

/** An event or an init JWT could not be read. */
const requestReasons = {
  body_too_large: platform('The body is larger than allowed.'),
  bad_media_type: platform('The body is neither a form, JSON nor a JWT, or it is encoded.'),
  bad_request: platform(
    'The body is not UTF-8, or not JSON, or JSON with two members of one name.',
  ),
  body_broke_off: temporary(nobody('The connection ended before the body did.')),
  host_missing: platform('The request has no Host header.'),
  host_invalid: platform('The request has more than one Host header, or one that is not a host.'),
  target_invalid: platform('The request does not ask for a path.'),
  rate_limited: fixable(
    temporary(platform('Too many events or sessions came in a short time.')),
    'Behind a reverse proxy set DOWEL_PROXY_HOPS: without it all senders count as one.',
  ),
  lagging: temporary(
    operator(
      'Too many events and sessions waited to be decided. The database may be slow.',
      'Look at the load of the database and of this process.',
    ),
  ),
  verifications_full: temporary(
    nobody('Too many JWTs of unknown senders were being verified. This one was not.'),
  ),
  database_busy: temporary(
    operator(
      'The database was too busy: the wait for a turn or a connection was too long.',
      'Look at the load of the database. With PostgreSQL, DOWEL_POSTGRES_CONNECTIONS gives a process more connections.',
    ),
  ),
  database_unreachable: temporary(
    operator(
      'The database could not be reached, or could not store anything.',
      'Look at the log line before this one for the cause: the connection, the disk, or rights.',
    ),
  ),
  internal_error: temporary(
    operator(
      'The back end failed. Its log has the cause.',
      'Look at the log line before this one: its err is the cause.',
    ),
  ),
} as const satisfies Record<string, ReasonEntry>;

/** A JWT was not accepted. */
const jwtReasons = {
  bad_token_format: platform(
    'The JWT is not in its compact form, or too long, or not JSON inside.',
  ),
  alg_not_allowed: platform(
    'The JWT is not signed with RS256, RS384 or RS512, or not with the algorithm of its key.',
  ),
  header_not_allowed: platform('The JWT has a header that could change how it is verified.'),
  jku_not_allowed: operator(
    'The JWT names a key location that no rule of DOWEL_TRUST allows. Nothing was fetched.',
    'If it is your platform, name the location of its keys in DOWEL_TRUST.',
  ),
  key_fetch_failed: fixable(
    temporary(platform("The platform's key could not be loaded.")),
    'Check that this machine reaches the host of the keys. If its address is private, name it in DOWEL_INTERNAL_HOSTS.',
  ),
  key_fetch_limited: temporary(
    nobody('Too many unknown key locations were named, so the key was not loaded.'),
  ),
  key_not_acceptable: platform(
    "The platform's key is not an RSA signature key of 2048 to 8192 bits, or of a weak kind.",
  ),
  signature_invalid: platform(
    'The signature does not match: another key signed it, or it was changed.',
  ),
  issuer_key_mismatch: operator(
    'No rule of DOWEL_TRUST names this issuer, or the key belongs to other issuers. If only http and https differ, the log line names both issuers.',
    'If it is your platform, add a rule for it to DOWEL_TRUST.',
  ),
  sub_mismatch: platform('A JWT of one kind was sent to the address of another kind.'),
  claims_invalid: fixable(
    platform(
      'A claim is missing, has the wrong shape, or the audience is somebody else (DOWEL_AUDIENCE).',
    ),
    'If the platform sends a claim aud, DOWEL_AUDIENCE must have its value. The default is the public URL.',
  ),
  expired: platform(
    'The JWT was no longer valid when it arrived. Compare the clocks of both servers.',
  ),
  not_yet_valid: platform('The JWT is dated in the future. Compare the clocks of both servers.'),
} as const satisfies Record<string, ReasonEntry>;

/** A verified event was refused, or changed nothing. */
const eventReasons = {
  plugin_not_ours: operator(
    'The event is for a plug-in that is not in DOWEL_PLUGIN_IDS.',
    'If the plug-in is yours, add its id to DOWEL_PLUGIN_IDS.',
  ),
  base_url_not_allowed: operator(
    'The event names an API at an origin that is neither the issuer’s nor in DOWEL_API_ORIGINS, or at a private address that is not in DOWEL_INTERNAL_HOSTS. The log line has the value to set. Set it, and install again.',
    'Set what this line has as set. Without it, the address is private or no URL: a private host must be in DOWEL_INTERNAL_HOSTS. Then install again.',
  ),
  base_url_changed: fixable(
    platform(
      'The event names another path of the same origin as its base URL than this life of the installation began with. Install again to accept it.',
    ),
    'Install the plug-in again in this tenant.',
  ),
  relative_url_not_allowed: operator(
    'The event names a token endpoint that is no plain path below its base URL, and not at an origin in DOWEL_API_ORIGINS.',
    'Set what this line has as set, and install again. Without it, no setting allows the address.',
  ),
  plugin_mismatch: operator(
    'The event or the widget belongs to an installation of another plug-in of this server.',
    'Each manifest must name the URLs of its own plug-in: compare its lifecycle, apiAccess and entry points.',
  ),
  after_uninstall: nobody('The event belongs to a life of the installation that has ended.'),
  superseded: nobody('Tokens of a newer event were stored already, and stay.'),
  in_progress: temporary(nobody('Another delivery of the same event is being decided.')),
  not_installed: fixable(
    temporary(
      platform(
        'The event is about a widget, and the event that begins its installation is missing.',
      ),
    ),
    'If it goes on, install the plug-in again in this tenant.',
  ),
  exchange_failed: temporary(
    platform('The token endpoint gave no usable answer. The platform may send the event again.'),
  ),
  exchange_rejected: platform('The token endpoint did not accept the authorization code.'),
  hook_refused: operator(
    'The plug-in’s beforeInstall refused the installation.',
    'If it should not, change beforeInstall or what it reads, and install again.',
  ),
  hook_failed: temporary(
    operator(
      'The plug-in’s beforeInstall failed. The platform may send the event again.',
      'Look at the log line before this one: its err is what beforeInstall threw.',
    ),
  ),
  hook_timed_out: temporary(
    operator(
      'The plug-in’s beforeInstall took too long. The platform may send the event again.',
      'Let beforeInstall do less, or raise beforeInstallMs of the hook policy.',
    ),
  ),
  hooks_full: temporary(
    operator(
      'Too many beforeInstall of the plug-in ran at once. The platform may send the event again.',
      'Let beforeInstall end sooner.',
    ),
  ),
} as const satisfies Record<string, ReasonEntry>;

/** A verified init JWT opened no session. */
const sessionReasons = {
  tenant_unknown: fixable(
    platform('The tenant has no live installation.'),
    'Install the plug-in in this tenant; if it is installed, install it again.',
  ),
  instance_unknown: fixable(
    platform(
      'The widget was removed, or the platform never placed it: remove it and place it again. If no page works, its src has another form than before: see DOWEL_UNMATCHED_PAGES.',
    ),
    'Place the widget again. If no page works, see DOWEL_UNMATCHED_PAGES.',
  ),
  session_nonce_unknown: operator(
    'The init JWT answers no fresh nonce of this back end, which DOWEL_SESSION_NONCE requires. Its page asks for none, or was too slow.',
    'Give createAdapter of the page nonce: nonceFrom(…), or set DOWEL_SESSION_NONCE=optional.',
  ),
  session_of_earlier_life: nobody(
    'The init JWT is older than the last uninstall. The page gets a new one when it is loaded again.',
  ),
  session_replay: nobody('The init JWT has opened a session before.'),
} as const satisfies Record<string, ReasonEntry>;

/** A token request failed. These reasons are our own. */
const tokenReasons = {
  scope_missing: platform(
    'The platform did not grant a scope that the plug-in cannot work without.',
  ),
  token_response_invalid: platform(
    'The token endpoint answered something that is not a token response.',
  ),
  token_tenant_mismatch: platform('The token response belongs to another tenant.'),
  token_endpoint_unreachable: temporary(platform('The token endpoint did not answer in time.')),
  address_not_allowed: operator(
    'The token endpoint is at a private address that is not in DOWEL_INTERNAL_HOSTS, or at an origin that is not in DOWEL_API_ORIGINS.',
  ),
  client_id_not_usable: platform(
    'The client id has a colon, which Basic authentication cannot send.',
  ),
  refresh_unanswered: platform('The refresh token was presented twice without an answer.'),
  code_unanswered: platform('The authorization code was presented twice without an answer.'),
  no_refresh_token: platform('No refresh token is stored. Only a new access_token event can help.'),
  turn_missed: temporary(
    platform(
      'Earlier requests to the platform got no answer, so this one found no place in time. It was not sent.',
    ),
  ),
  lease_lapsed: temporary(
    nobody('Its time was over before it was sent, or the process was ending. Nothing was sent.'),
  ),
  secret_integrity: operator(
    'A stored value does not decrypt. A new access_token event replaces it.',
  ),
} as const satisfies Record<string, ReasonEntry>;

/** The request for a new access_token event failed (Spec §4.3). */
const triggerReasons = {
  no_trigger_event: platform(
    'The platform gave no usable way to ask for a new access_token event.',
  ),
  trigger_address_not_allowed: operator(
    'The request for a new access_token event goes to an origin that is not in DOWEL_API_ORIGINS.',
  ),
  trigger_unreachable: temporary(
    platform('The request for a new access_token event got no answer.'),
  ),
} as const satisfies Record<string, ReasonEntry>;

/** A call of the platform's API failed. With `scope_missing`, a closed list. Any other 4xx is the call's own fault. */
const callReasons = {
  platform_unreachable: temporary(
    platform('A call found no connection to the platform, or the connection broke.'),
  ),
  platform_5xx: temporary(platform('The platform answered a call with an error of its own.')),
  platform_429: temporary(platform('The platform wants fewer calls.')),
  platform_4xx: platform(
    'The platform refused the call itself: what the plug-in asked for is wrong, or is not there.',
  ),
  token_refused: platform('The platform refused a call with a token that it had just given.'),
  no_token: temporary(platform('A call got no access token in its time.')),
  timed_out: temporary(platform('The platform did not answer a call in its time.')),
} as const satisfies Record<string, ReasonEntry>;

/**
 * The words that a token endpoint may send in `error`: RFC 6749 §5.2 and §4.1.2.1, RFC 6750 §3.1, RFC 8628
 * §3.5, RFC 8707 §2, OpenID Connect Core §3.1.2.6. Other words are not kept, because they could repeat a
 * secret.
 */
const oauthErrors = {
  access_denied: platform('The platform denied the request.'),
  authorization_pending: temporary(platform('The authorization has not been given yet.')),
  consent_required: platform('The platform wants the consent of a person.'),
  expired_token: platform('The code has expired.'),
  insufficient_scope: platform('The platform wants a scope that was not granted.'),
  interaction_required: platform('The platform wants a person to sign in.'),
  invalid_client: platform('The platform did not accept the client id and secret.'),
  invalid_grant: platform(
    'The authorization code or refresh token was used before, revoked or has expired.',
  ),
  invalid_request: platform('The platform could not read the token request.'),
  invalid_scope: platform('The platform does not know a scope that was asked for.'),
  invalid_target: platform('The platform does not know the resource that was asked for.'),
  invalid_token: platform('The platform does not accept the token.'),
  login_required: platform('The platform wants a person to sign in.'),
  server_error: temporary(platform('The token endpoint failed.')),
  slow_down: temporary(platform('The platform wants fewer requests.')),
  temporarily_unavailable: temporary(
    platform('The token endpoint is overloaded or under maintenance.'),
  ),
  unauthorized_client: platform('The platform does not let this client use this grant.'),
  unsupported_grant_type: platform('The platform does not know this grant.'),
  unsupported_token_type: platform('The platform does not know this kind of token.'),
} as const satisfies Record<string, ReasonEntry>;

/** By where they occur, in the order of `docs/errors.md`. */
export const reasonGroups = {
  request: requestReasons,
  jwt: jwtReasons,
  event: eventReasons,
  session: sessionReasons,
  token: tokenReasons,
  trigger: triggerReasons,
  call: callReasons,
  oauth: oauthErrors,
};

export type JwtReason = keyof typeof jwtReasons;
export type OAuthErrorCode = keyof typeof oauthErrors;
export type CallReason = keyof typeof callReasons | 'scope_missing';
/** A request that was answered with a status and no known word. */
type AnsweredReason = `token_endpoint_answered_${number}` | `trigger_answered_${number}`;
/** A reason that is in the list unchanged. */
export type ReasonWord =
  | keyof typeof requestReasons
  | JwtReason
  | keyof typeof eventReasons
  | keyof typeof sessionReasons
  | keyof typeof tokenReasons
  | keyof typeof triggerReasons
  | keyof typeof callReasons
  | OAuthErrorCode;
export type Reason = ReasonWord | AnsweredReason;

const entries: Readonly<Record<string, ReasonEntry>> = Object.assign(
  {},
  ...Object.values(reasonGroups),
);

/** Whether a token endpoint's `error` is a word that we keep. */
export function isOAuthErrorCode(text: unknown): text is OAuthErrorCode {
  return typeof text === 'string' && Object.hasOwn(oauthErrors, text);
}

/** Undefined for a word that is not in the list, such as one that a newer version has stored. */
export function explainReason(reason: string): ReasonEntry | undefined {
  const [, source, status] = /^(token_endpoint|trigger)_answered_(\d{3})$/.exec(reason) ?? [];
  if (status !== undefined) return explainStatus(source === 'trigger', Number(status));
  return Object.hasOwn(entries, reason) ? entries[reason] : undefined;
}

function explainStatus(isTrigger: boolean, status: number): ReasonEntry {
  const request = isTrigger ? 'The request for a new access_token event' : 'The token request';
  const isTemporary = !isTrigger || status >= 500 || [408, 425, 429].includes(status);
  return { sentence: `${request} was answered ${status}.`, actor: 'platform', isTemporary };
}
