import type { InstallationSummary } from '@dowel/schema';
import { RelativeTime } from '../shared/relative-time.tsx';
import { TokenCountdown } from '../shared/token-countdown.tsx';
import classes from './access-token-card.module.css';
import { Fact, FactCard, FactList } from './fact-card.tsx';
import { ScopeComparison } from './scope-comparison.tsx';

export interface AccessTokenCardProps {
  installation: InstallationSummary;
  requestedScopes: string[];
}

export function AccessTokenCard({ installation, requestedScopes }: AccessTokenCardProps) {
  const { accessToken, grantedScopes, hasRefreshToken } = installation;
  return (
    <FactCard title="Access token">
      <div className={classes.countdown}>
        <TokenCountdown installation={installation} />
      </div>
      <FactList>
        {accessToken ? (
          <>
            <Fact name="Version">{accessToken.version}</Fact>
            <Fact name="Issued">
              <RelativeTime at={accessToken.issuedAt} />
            </Fact>
          </>
        ) : null}
        <Fact name="Scopes">
          <ScopeComparison granted={grantedScopes} requested={requestedScopes} />
        </Fact>
        <Fact name="Refresh token">{hasRefreshToken ? 'Stored (encrypted)' : 'None stored'}</Fact>
      </FactList>
    </FactCard>
  );
}
