import type { ExchangeSummary } from '@dowel/emulator/control-api';
import { StatusBadge } from '../status-badge.tsx';

/** The answer to an event, in two or three words. */
export function DeliveryStatus({ delivery }: { delivery: ExchangeSummary }) {
  return (
    <StatusBadge tone={delivery.error === null ? 'good' : 'bad'}>{describe(delivery)}</StatusBadge>
  );
}

function describe({ status, error }: ExchangeSummary): string {
  if (error === null) return `${status} accepted`;
  if (error.code === 'NO_RESPONSE' || status === null) return 'no answer';
  return error.code === 'INVALID_RESPONSE' ? `${status} not JSON` : `${status} refused`;
}
