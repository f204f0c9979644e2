import type { ExchangeSummary, Plugins } from '@dowel/emulator/control-api';
import { useTranslation } from 'react-i18next';
import { formatUnit } from '../format-unit.ts';
import { TimeAgo } from '../time-ago.tsx';
import { useLocale } from '../use-locale.ts';
import { ActivityTable, type ActivityTableProps } from './activity-table.tsx';
import { DeliveryStatus } from './delivery-status.tsx';
import { pluginName } from './plugin-name.ts';

const columns = ['event', 'plugin', 'sent', 'status', 'duration', 'error'] as const;

/** Every attempt to send an event, of installed and of removed plug-ins. */
export function DeliveryTable({ plugins, exchanges }: ExchangesOfPlugins) {
  const { t } = useTranslation();
  const locale = useLocale();
  const rows: ActivityTableProps['rows'] = exchanges
    .filter(({ kind }) => kind === 'event')
    .toReversed()
    .map((delivery) => ({
      id: delivery.id,
      cells: [
        <code key="event" title={delivery.url}>
          {delivery.event}
        </code>,
        pluginName(t, plugins, delivery.pluginId),
        <TimeAgo key="sent" at={delivery.at} />,
        <DeliveryStatus key="status" delivery={delivery} />,
        delivery.answeredAt && formatDuration(locale, delivery.answeredAt - delivery.at),
        delivery.error && `${delivery.error.message} (${delivery.error.code})`,
      ],
    }));
  return (
    <ActivityTable
      title={t('activity.deliveries')}
      emptyText={t('activity.noDeliveries')}
      columns={columns.map((column) => t(`activity.${column}`))}
      rows={rows}
    />
  );
}

export interface ExchangesOfPlugins {
  plugins: Plugins;
  /** Oldest first. */
  exchanges: readonly ExchangeSummary[];
}

function formatDuration(locale: string, durationMs: number): string {
  if (durationMs < 1_000) return formatUnit(locale, Math.round(durationMs), 'millisecond');
  return formatUnit(locale, durationMs / 1_000, 'second');
}
