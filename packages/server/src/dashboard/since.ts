/** Computes since when an installation has its state, for the dashboard. */
import type { FleetInstallation } from '@dowel/admin-api';
import type { FleetFacts } from '@dowel/installation-store';

/** Returns epoch milliseconds. */
export function sinceOf(installation: FleetInstallation, facts: FleetFacts): number {
  const { state, generation, accessEndsAt, tokenExpiresAt, beganAt } = installation;
  switch (state) {
    case 'active':
      return endOfLastOutage(facts, generation) ?? beganAt;
    case 'idle':
    case 'ran_out':
      return tokenExpiresAt ?? beganAt;
    case 'expiring':
      return facts.token?.issuedAt ?? beganAt;
    case 'uninstalled':
      return facts.endedAt ?? beganAt;
    case 'paused':
      return facts.pause?.at ?? beganAt;
    case 'pending':
      return beganAt;
    case 'failing':
      return installation.failingSince ?? beganAt;
    case 'unreachable':
    case 'calls_failing':
    case 'no_tokens':
    case 'awaiting':
    case 'install_refused':
      return accessEndsAt ?? beganAt;
  }
}

/** The end of this generation's last outage. Undefined: the history contains none. */
function endOfLastOutage({ outages }: FleetFacts, generation: number): number | undefined {
  const last = outages.find((each) => each.generation === generation && each.endedAt !== null);
  return last?.endedAt ?? undefined;
}
