import type { ExchangeSummary } from '@dowel/emulator/control-api';
import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../status-badge.tsx';

/** The answer to an event, in two or three words. */
export function DeliveryStatus({ delivery }: { delivery: ExchangeSummary }) {
  const { t } = useTranslation();
  const { status, error } = delivery;
  return (
    <StatusBadge tone={error === null ? 'good' : 'bad'}>
      {t(`activity.${resultOf(delivery)}`, { status })}
    </StatusBadge>
  );
}

function resultOf({ status, error }: ExchangeSummary) {
  if (error === null) return 'accepted';
  if (error.code === 'NO_RESPONSE' || status === null) return 'noAnswer';
  return error.code === 'INVALID_RESPONSE' ? 'notJson' : 'refused';
}
