import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../status-badge.tsx';
import { TimeAgo } from '../time-ago.tsx';
import { ActivityTable } from './activity-table.tsx';
import type { ExchangesOfPlugins } from './delivery-table.tsx';
import { pluginName } from './plugin-name.ts';

const columns = ['presented', 'plugin', 'asked', 'status', 'error'] as const;

/** The plug-ins' requests to the authorization server. */
export function TokenRequestTable({ plugins, exchanges }: ExchangesOfPlugins) {
  const { t } = useTranslation();
  const requests = exchanges.filter(({ kind }) => kind === 'code' || kind === 'refresh');
  return (
    <ActivityTable
      title={t('activity.tokenRequests')}
      emptyText={t('activity.noTokenRequests')}
      columns={columns.map((column) => t(`activity.${column}`))}
      rows={requests.toReversed().map(({ id, kind, pluginId, at, status, error }) => ({
        id,
        cells: [
          t(kind === 'code' ? 'activity.code' : 'activity.refreshToken'),
          pluginName(t, plugins, pluginId),
          <TimeAgo key="asked" at={at} />,
          <StatusBadge key="status" tone={status === 200 ? 'good' : 'bad'}>
            {t(`activity.${resultOf(status)}`, { status })}
          </StatusBadge>,
          error && `${error.message} (${error.code})`,
        ],
      }))}
    />
  );
}

function resultOf(status: number | null) {
  if (status === null) return 'noAnswer';
  return status === 200 ? 'issued' : 'refused';
}
