import type { ExchangeSummary, Installation } from '@dowel/emulator/control-api';
import { Badge, Text, Title } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { ExaminationSection } from '../examination/examination-section.tsx';
import { ExchangeList } from '../exchanges/exchange-list.tsx';
import { PluginTile } from '../plugin-tile.tsx';
import { TimeAgo } from '../time-ago.tsx';
import { FailureAlert } from './failure-alert.tsx';
import { InstallationActions } from './installation-actions.tsx';
import { useUpdate } from './plugin-mutations.ts';
import { UpdateOffer } from './update-offer.tsx';
import { WidgetList } from './widget-list.tsx';

export interface InstallationCardProps {
  installation: Installation;
  /** Its own, oldest first. */
  exchanges: readonly ExchangeSummary[];
}

/** One installed plug-in: its identity, its tokens, its actions and its requests. */
export function InstallationCard({ installation, exchanges }: InstallationCardProps) {
  const { t } = useTranslation();
  const headingId = useId();
  const update = useUpdate(installation);

  return (
    <section className="panel installation" aria-labelledby={headingId}>
      <div className="installation-head">
        <PluginTile name={installation.name} size={44} />
        <div className="installation-words">
          <Title order={3} size="h4" id={headingId}>
            {installation.name}
          </Title>
          <Text size="sm">{installation.description}</Text>
          <Text size="xs" c="dimmed" ff="monospace">
            {installation.manifestUrl}
          </Text>
        </div>
      </div>
      <UpdateOffer
        installation={installation}
        onUpdate={() => update.mutate()}
        isUpdating={update.isPending}
      />
      <Facts installation={installation} />
      <WidgetList installation={installation} />
      <InstallationActions
        installation={installation}
        onUpdate={() => update.mutate()}
        isUpdating={update.isPending}
      />
      <ExaminationSection installation={installation} />
      {update.isError && (
        <FailureAlert title={t('installation.updateFailed')} error={update.error} />
      )}
      <ExchangeList
        title={t('exchange.ofPlugin', { name: installation.name })}
        exchanges={exchanges}
      />
    </section>
  );
}

function Facts({ installation }: { installation: Installation }) {
  const { t } = useTranslation();
  const { pluginVersion, installedAt, requestedScopes, tokens } = installation;
  return (
    <dl className="facts">
      <Fact term={t('installation.version')}>{pluginVersion}</Fact>
      <Fact term={t('installation.installed')}>
        <TimeAgo at={installedAt} />
      </Fact>
      <Fact term={t('installation.scopes')}>
        {requestedScopes.length === 0 && t('installation.noScopes')}
        {requestedScopes.map((scope) => (
          <Badge key={scope} variant="light" color="teal" size="lg" radius="sm" fw={500}>
            {scope}
          </Badge>
        ))}
      </Fact>
      <Fact term={t('installation.accessTokens')}>{tokens.accessTokens}</Fact>
      <Fact term={t('installation.refreshTokens')}>{tokens.refreshTokens}</Fact>
    </dl>
  );
}

function Fact({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
