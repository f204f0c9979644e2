import type { Exchange } from '@dowel/emulator/control-api';
import { Progress, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ExchangePanel } from './exchange-panel.tsx';
import { ExchangeStatus } from './exchange-status.tsx';
import { MessageView } from './message-view.tsx';
import { useDuration } from './use-duration.ts';

/** What was answered: status, headers, body, and the time that it took. */
export function AnswerPanel({ exchange }: { exchange: Exchange }) {
  const { t } = useTranslation();
  const { answer, error } = exchange;
  return (
    <ExchangePanel title={t('exchange.answered')}>
      <ExchangeStatus exchange={exchange} />
      {error && <Text size="sm">{`${error.message} (${error.code})`}</Text>}
      <AnswerTime exchange={exchange} />
      {answer && <MessageView headers={answer.headers} body={answer.body} />}
    </ExchangePanel>
  );
}

/** An event has 30 s. */
function AnswerTime({ exchange }: { exchange: Exchange }) {
  const { t } = useTranslation();
  const duration = useDuration(exchange);
  const { kind, at, answeredAt } = exchange;
  if (answeredAt === null) return null;
  if (kind !== 'event') return <Text size="sm">{t('exchange.after', { duration })}</Text>;
  return (
    <div>
      <Text size="sm" mb={4}>
        {t('exchange.afterOf', { duration })}
      </Text>
      <Progress value={(answeredAt - at) / 300} aria-label={t('exchange.timeUsed')} />
    </div>
  );
}
