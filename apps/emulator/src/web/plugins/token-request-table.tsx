import type { Plugins } from '@dowel/emulator/control-api';
import { StatusBadge } from '../status-badge.tsx';
import { TimeAgo } from '../time-ago.tsx';
import { ActivityTable } from './activity-table.tsx';
import { pluginName } from './plugin-name.ts';

/** The plug-ins' requests to the authorization server. */
export function TokenRequestTable({ plugins }: { plugins: Plugins }) {
  return (
    <ActivityTable
      title="Token requests"
      emptyText="No plug-in asked for a token."
      columns={['Grant type', 'Plug-in', 'Asked', 'Status', 'Error']}
      rows={plugins.tokenRequests.map((request) => ({
        id: request.id,
        cells: [
          <code key="grant-type">{request.grantType}</code>,
          pluginName(plugins, request.pluginId),
          <TimeAgo key="asked" at={request.at} />,
          <StatusBadge key="status" tone={request.error === null ? 'good' : 'bad'}>
            {`${request.status} ${request.error === null ? 'issued' : 'refused'}`}
          </StatusBadge>,
          request.error,
        ],
      }))}
    />
  );
}
