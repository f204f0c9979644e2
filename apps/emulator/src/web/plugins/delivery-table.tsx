import type { Plugins } from '@dowel/emulator/control-api';
import { Table, Text } from '@mantine/core';
import { TimeAgo } from '../time-ago.tsx';
import { ActivityTable } from './activity-table.tsx';
import { DeliveryStatus } from './delivery-status.tsx';
import { pluginName } from './plugin-name.ts';

/** Every attempt to send an event, of installed and of removed plug-ins. */
export function DeliveryTable({ plugins }: { plugins: Plugins }) {
  return (
    <ActivityTable
      title="Recent deliveries"
      emptyText="No event was sent. Installing a plug-in sends the first ones."
      columns={['Event', 'Plug-in', 'Sent', 'Status', 'Duration', 'Error']}
      rows={plugins.deliveries.map((delivery) => (
        <Table.Tr key={delivery.id}>
          <Table.Td>
            <code title={delivery.url}>{delivery.event}</code>
          </Table.Td>
          <Table.Td>{pluginName(plugins, delivery.pluginId)}</Table.Td>
          <Table.Td>
            <TimeAgo at={delivery.sentAt} />
          </Table.Td>
          <Table.Td>
            <DeliveryStatus delivery={delivery} />
          </Table.Td>
          <Table.Td className="number">{formatDuration(delivery.durationMs)}</Table.Td>
          <Table.Td>{delivery.error && <Text size="sm">{delivery.error.message}</Text>}</Table.Td>
        </Table.Tr>
      ))}
    />
  );
}

function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  return `${(durationMs / 1_000).toFixed(1)} s`;
}
