import { StatusBadge } from '../status-badge.tsx';
import { TimeAgo } from '../time-ago.tsx';
import { ActivityTable } from './activity-table.tsx';
import type { ExchangesOfPlugins } from './delivery-table.tsx';
import { pluginName } from './plugin-name.ts';

/** The plug-ins' requests to the authorization server. */
export function TokenRequestTable({ plugins, exchanges }: ExchangesOfPlugins) {
  const requests = exchanges.filter(({ kind }) => kind === 'code' || kind === 'refresh');
  return (
    <ActivityTable
      title="Token requests"
      emptyText="No plug-in asked for a token."
      columns={['Presented', 'Plug-in', 'Asked', 'Status', 'Error']}
      rows={requests.toReversed().map(({ id, kind, pluginId, at, status, error }) => ({
        id,
        cells: [
          kind === 'code' ? 'code' : 'refresh token',
          pluginName(plugins, pluginId),
          <TimeAgo key="asked" at={at} />,
          <StatusBadge key="status" tone={status === 200 ? 'good' : 'bad'}>
            {describe(status)}
          </StatusBadge>,
          error && `${error.message} (${error.code})`,
        ],
      }))}
    />
  );
}

function describe(status: number | null): string {
  if (status === null) return 'no answer';
  return `${status} ${status === 200 ? 'issued' : 'refused'}`;
}
