import type { Session } from '@dowel/emulator/control-api';
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { pluginsQuery } from '../control-queries.ts';
import { ErrorAlert } from '../error-alert.tsx';
import { ColleaguesPanel } from './colleagues-panel.tsx';
import { NoWidgets } from './no-widgets.tsx';
import { Welcome } from './welcome.tsx';
import { WidgetCard } from './widget-card.tsx';

/** The intranet's page: every placed widget, and the colleagues. */
export function HomePage({ session }: { session: Session }) {
  const { t } = useTranslation();
  const plugins = useQuery(pluginsQuery);
  const installations = plugins.data?.installations ?? [];
  const widgets = installations.flatMap((installation) =>
    installation.instances.map((instance) => ({ installation, instance })),
  );

  return (
    <>
      <Welcome name={session.user.name} tenantName={session.tenant.name} />
      <div className="home-columns">
        <div className="home-widgets">
          {plugins.isPending && (
            <Skeleton height={320} radius="lg" aria-label={t('home.loading')} />
          )}
          {plugins.isError && (
            <ErrorAlert
              title={t('home.failed')}
              error={plugins.error}
              onRetry={() => void plugins.refetch()}
            />
          )}
          {plugins.data && widgets.length === 0 && <NoWidgets installations={installations} />}
          {widgets.map(({ installation, instance }) => (
            <WidgetCard key={instance.instanceId} installation={installation} instance={instance} />
          ))}
        </div>
        <ColleaguesPanel session={session} />
      </div>
    </>
  );
}
