import type { ExchangeSummary } from '@dowel/emulator/control-api';
import { useTranslation } from 'react-i18next';
import { StatusBadge } from '../status-badge.tsx';
import { resultOf } from './result-of.ts';

/** The answer to a request, in two or three words. */
export function ExchangeStatus({ exchange }: { exchange: ExchangeSummary }) {
  const { t } = useTranslation();
  const result = resultOf(exchange);
  return (
    <StatusBadge tone={tones[result]}>
      {t(`exchange.result.${result}`, { status: exchange.status })}
    </StatusBadge>
  );
}

const tones = {
  accepted: 'good',
  answered: 'good',
  issued: 'good',
  refused: 'bad',
  notJson: 'bad',
  noAnswer: 'bad',
  unanswered: 'warn',
} as const;
