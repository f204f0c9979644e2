import type { InstallationSummary } from '@dowel/schema';
import { formatInstant } from '../shared/format-time.ts';
import { CopyableText } from './copyable-text.tsx';
import { Fact, FactCard, FactList } from './fact-card.tsx';

/** The key of the installation: issuer, tenant and plug-in. */
export function IdentityCard({ installation }: { installation: InstallationSummary }) {
  const { issuer, tenantId, pluginId, createdAt } = installation;
  return (
    <FactCard title="Identity">
      <FactList stacked>
        <Fact name="Issuer">
          <CopyableText name="issuer" text={issuer} />
        </Fact>
        <Fact name="Tenant">
          <CopyableText name="tenant id" text={tenantId} />
        </Fact>
        <Fact name="Plug-in">
          <CopyableText name="plug-in id" text={pluginId} />
        </Fact>
        <Fact name="Created">{formatInstant(createdAt)}</Fact>
      </FactList>
    </FactCard>
  );
}
