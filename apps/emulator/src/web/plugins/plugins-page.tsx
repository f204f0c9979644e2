import type { ExchangeSummary, Installation } from '@dowel/emulator/control-api';
import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { exchangesQuery, pluginsQuery } from '../control-queries.ts';
import { ErrorAlert } from '../error-alert.tsx';
import { ExchangeList } from '../exchanges/exchange-list.tsx';
import { InstallForm } from './install-form.tsx';
import { InstallationCard } from './installation-card.tsx';

/** The administrator's page: installed plug-ins, each with its requests. */
export function PluginsPage() {
  const { t } = useTranslation();
  const plugins = useQuery(pluginsQuery);
  const exchanges = useQuery(exchangesQuery).data?.exchanges ?? [];

  return (
    <Stack gap="lg">
      <div>
        <Title order={1} size="h2">
          {t('page.plugins')}
        </Title>
        <Text c="dimmed">{t('plugins.lead')}</Text>
      </div>
      <InstallForm />
      {plugins.isPending && <Skeleton height={240} radius="lg" aria-label={t('plugins.loading')} />}
      {plugins.isError && (
        <ErrorAlert
          title={t('plugins.failed')}
          error={plugins.error}
          onRetry={() => void plugins.refetch()}
        />
      )}
      {plugins.data && (
        <Installations installations={plugins.data.installations} exchanges={exchanges} />
      )}
    </Stack>
  );
}

interface InstallationsProps {
  installations: readonly Installation[];
  exchanges: readonly ExchangeSummary[];
}

function Installations({ installations, exchanges }: InstallationsProps) {
  const { t } = useTranslation();
  const isOf = (pluginId: string) => (exchange: ExchangeSummary) => exchange.pluginId === pluginId;
  // Of plug-ins that were removed or refused, and of clients that nobody knows.
  const others = exchanges.filter(
    (exchange) =>
      exchange.kind !== 'key' &&
      !installations.some(({ pluginId }) => exchange.pluginId === pluginId),
  );
  return (
    <Stack gap="md" component="section" aria-label={t('plugins.installedAll')}>
      <Title order={2} size="h3">
        {t('plugins.installed')}
      </Title>
      {installations.length === 0 && (
        <Text c="dimmed" className="panel">
          {t('plugins.none')}
        </Text>
      )}
      {installations.map((installation) => (
        <InstallationCard
          key={installation.pluginId}
          installation={installation}
          exchanges={exchanges.filter(isOf(installation.pluginId))}
        />
      ))}
      {others.length > 0 && (
        <div className="panel">
          <ExchangeList title={t('exchange.ofOthers')} exchanges={others} />
        </div>
      )}
    </Stack>
  );
}
