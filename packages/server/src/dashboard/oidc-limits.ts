/**
 * How often a sign-in at an identity provider may fail. Each try makes us ask the provider, so a stranger could do that
 * without end. Row F27 of docs/threats.md; the reasons are in docs/decisions/0042-sign-in.md.
 */
import { limitFailures, limitsOfSender, type SenderCounters } from './failure-limits.ts';
import { OidcError } from './oidc-provider.ts';

/** A failed start is an outage of the provider. It counts for the sender's network only, which may fail more often. */
export function limitStart<Found>(
  counters: SenderCounters,
  sender: string,
  attempt: () => Promise<Found | OidcError>,
): Promise<Found | OidcError> {
  const { ofAddress, ofNetwork } = limitsOfSender(counters, sender);
  return limitFailures<Found | OidcError>({
    limits: [ofAddress, ofNetwork],
    counted: [ofNetwork],
    attempt,
    hasFailed,
    refuse: tooMany,
  });
}

/** A failed return counts for the sender's address and network. */
export function limitReturn<Found>(
  counters: SenderCounters,
  sender: string,
  attempt: () => Promise<Found | OidcError>,
): Promise<Found | OidcError> {
  const { ofAddress, ofNetwork } = limitsOfSender(counters, sender);
  return limitFailures<Found | OidcError>({
    limits: [ofAddress, ofNetwork],
    attempt,
    hasFailed,
    refuse: tooMany,
  });
}

/** `expired` counts nothing: no request was sent, and any page on the web can cause it in an operator's browser. */
function hasFailed(outcome: unknown): boolean {
  return outcome instanceof OidcError && outcome.refusal !== 'expired';
}

function tooMany(): OidcError {
  return new OidcError('too_many', 'Too many sign-ins from this address or its network failed');
}
