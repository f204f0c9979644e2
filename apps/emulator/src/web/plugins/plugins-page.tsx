import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { exchangesQuery, pluginsQuery } from '../control-queries.ts';
import { ErrorAlert } from '../error-alert.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { InstallForm } from './install-form.tsx';
import { InstallationCard } from './installation-card.tsx';
import { TokenRequestTable } from './token-request-table.tsx';

/** The administrator's page: installed plug-ins, deliveries and token requests. */
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
        <>
          <Installations installations={plugins.data.installations} />
          <DeliveryTable plugins={plugins.data} exchanges={exchanges} />
          <TokenRequestTable plugins={plugins.data} exchanges={exchanges} />
        </>
      )}
    </Stack>
  );
}

type InstallationCardProps = React.ComponentProps<typeof InstallationCard>;

function Installations({
  installations,
}: {
  installations: readonly InstallationCardProps['installation'][];
}) {
  const { t } = useTranslation();
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
        <InstallationCard key={installation.pluginId} installation={installation} />
      ))}
    </Stack>
  );
}
