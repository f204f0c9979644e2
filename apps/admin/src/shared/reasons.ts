/**
 * The machine words for why something failed, in a sentence for the operator. The closed lists are
 * in platform-jwt, lifecycle and token-client; a token endpoint may send words of its own.
 */
const sentences: Readonly<Record<string, string>> = {
  // The event itself.
  bad_token_format: 'The event is not a signed token in its compact form.',
  alg_not_allowed: 'The event is signed with an algorithm that is not allowed.',
  header_not_allowed: 'The event has a header that could change how it is verified.',
  jku_not_allowed: 'The event names a key location that is not trusted.',
  key_fetch_failed: "The platform's keys could not be loaded.",
  key_fetch_limited: 'Too many unknown key locations were named, so the key was not loaded.',
  key_not_acceptable: "The platform's key is not strong enough, or not meant for signatures.",
  signature_invalid: 'The signature does not match the event.',
  issuer_key_mismatch: 'The issuer is not trusted with the key that signed the event.',
  sub_mismatch: 'The event was posted to the address of another kind of event.',
  claims_invalid: 'The event lacks a claim, or has one of the wrong shape.',
  expired: 'The event was no longer valid when it arrived.',
  not_yet_valid: "The event is dated in the future: compare the two servers' clocks.",
  after_uninstall: 'The event belongs to a life of the installation that has ended.',
  superseded: 'A newer token set was already stored, so this one was dropped.',
  base_url_not_allowed: 'The event names an address outside of the issuer’s origin.',
  relative_url_not_allowed: 'The event names a path that is not a plain path.',
  // The token endpoint.
  scope_missing: 'The platform did not grant a scope that the plug-in cannot work without.',
  exchange_failed:
    'The token endpoint gave no usable answer; the platform may send the event again.',
  exchange_rejected: 'The token endpoint did not accept the authorization code.',
  token_response_invalid: 'The token endpoint answered something that is not a token response.',
  token_tenant_mismatch: 'The token response belongs to another tenant.',
  token_endpoint_unreachable: 'The token endpoint did not answer in time.',
  invalid_grant: 'The authorization code or refresh token was used before, revoked or has expired.',
  invalid_client: 'The platform did not accept the client id and secret.',
  invalid_request: 'The platform could not read the token request.',
  invalid_scope: 'The platform does not know a scope that was asked for.',
  unauthorized_client: 'The platform does not let this client use this grant.',
  unsupported_grant_type: 'The platform does not know this grant.',
  server_error: 'The token endpoint failed.',
  temporarily_unavailable: 'The token endpoint is overloaded or under maintenance.',
  no_refresh_token: 'No refresh token is stored: only a new access_token event can help.',
  // The trigger.
  no_trigger_event: 'The platform gave no way to ask for a new access_token event.',
  trigger_unreachable: 'The request for a new access_token event got no answer.',
};

/** Undefined for a word that is not known here. */
export function explainReason(reason: string): string | undefined {
  const triggerStatus = /^trigger_answered_(\d{3})$/.exec(reason)?.[1];
  if (triggerStatus)
    return `The request for a new access_token event was answered ${triggerStatus}.`;
  return Object.hasOwn(sentences, reason) ? sentences[reason] : undefined;
}
