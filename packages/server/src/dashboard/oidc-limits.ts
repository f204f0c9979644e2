/**
 * Limits failed sign-ins at an identity provider. Each attempt causes a request to the provider, so strangers must not
 * repeat it without limit. Row F27 of docs/threats.md; the reasons are in docs/decisions/0042-sign-in.md.
 */
import { limitFailures, limitsOfSender, type SenderCounters } from './failure-limits.ts';
import { OidcError } from './oidc-provider.ts';

/**
 * A failed start means that the provider is down. It counts for the sender's network only, which has a higher limit.
 */
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

function hasFailed(outcome: unknown): boolean {
  return outcome instanceof OidcError;
}

function tooMany(): OidcError {
  return new OidcError('too_many', 'Too many sign-ins from this address or its network failed');
}
