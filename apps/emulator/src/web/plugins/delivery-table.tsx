import type { ExchangeSummary, Plugins } from '@dowel/emulator/control-api';
import { TimeAgo } from '../time-ago.tsx';
import { ActivityTable, type ActivityTableProps } from './activity-table.tsx';
import { DeliveryStatus } from './delivery-status.tsx';
import { pluginName } from './plugin-name.ts';

/** Every attempt to send an event, of installed and of removed plug-ins. */
export function DeliveryTable({ plugins, exchanges }: ExchangesOfPlugins) {
  const rows: ActivityTableProps['rows'] = exchanges
    .filter(({ kind }) => kind === 'event')
    .toReversed()
    .map((delivery) => ({
      id: delivery.id,
      cells: [
        <code key="event" title={delivery.url}>
          {delivery.event}
        </code>,
        pluginName(plugins, delivery.pluginId),
        <TimeAgo key="sent" at={delivery.at} />,
        <DeliveryStatus key="status" delivery={delivery} />,
        delivery.answeredAt && formatDuration(delivery.answeredAt - delivery.at),
        delivery.error && `${delivery.error.message} (${delivery.error.code})`,
      ],
    }));
  return (
    <ActivityTable
      title="Recent deliveries"
      emptyText="No event was sent. Installing a plug-in sends the first ones."
      columns={['Event', 'Plug-in', 'Sent', 'Status', 'Duration', 'Error']}
      rows={rows}
    />
  );
}

export interface ExchangesOfPlugins {
  plugins: Plugins;
  /** Oldest first. */
  exchanges: readonly ExchangeSummary[];
}

function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  return `${(durationMs / 1_000).toFixed(1)} s`;
}
