import type { Plugins } from '@dowel/emulator/control-api';
import { Table, Text } from '@mantine/core';
import { StatusBadge } from '../status-badge.tsx';
import { TimeAgo } from '../time-ago.tsx';
import { ActivityTable } from './activity-table.tsx';
import { pluginName } from './plugin-name.ts';

/** What plug-ins asked the authorization server for. */
export function TokenRequestTable({ plugins }: { plugins: Plugins }) {
  return (
    <ActivityTable
      title="Token requests"
      emptyText="No plug-in asked for a token."
      columns={['Grant type', 'Plug-in', 'Asked', 'Status', 'Error']}
      rows={plugins.tokenRequests.map((request) => (
        <Table.Tr key={request.id}>
          <Table.Td>
            <code>{request.grantType}</code>
          </Table.Td>
          <Table.Td>{pluginName(plugins, request.pluginId)}</Table.Td>
          <Table.Td>
            <TimeAgo at={request.at} />
          </Table.Td>
          <Table.Td>
            <StatusBadge tone={request.error === null ? 'good' : 'bad'}>
              {`${request.status} ${request.error === null ? 'issued' : 'refused'}`}
            </StatusBadge>
          </Table.Td>
          <Table.Td>{request.error && <Text size="sm">{request.error}</Text>}</Table.Td>
        </Table.Tr>
      ))}
    />
  );
}
