import type { ExchangeSummary } from '@dowel/emulator/control-api';
import { useTranslation } from 'react-i18next';

/** What a request is for: the name of an event, or the kind of another request. */
export function ExchangeName({
  exchange: { event, kind },
}: {
  exchange: Pick<ExchangeSummary, 'event' | 'kind'>;
}) {
  const { t } = useTranslation();
  return event ? <code>{event}</code> : t(`exchange.kind.${kind}`);
}
