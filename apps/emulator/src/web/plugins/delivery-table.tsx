import type { Plugins } from '@dowel/emulator/control-api';
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
      rows={plugins.deliveries.map((delivery) => ({
        id: delivery.id,
        cells: [
          <code key="event" title={delivery.url}>
            {delivery.event}
          </code>,
          pluginName(plugins, delivery.pluginId),
          <TimeAgo key="sent" at={delivery.sentAt} />,
          <DeliveryStatus key="status" delivery={delivery} />,
          formatDuration(delivery.durationMs),
          delivery.error && `${delivery.error.message} (${delivery.error.code})`,
        ],
      }))}
    />
  );
}

function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  return `${(durationMs / 1_000).toFixed(1)} s`;
}
