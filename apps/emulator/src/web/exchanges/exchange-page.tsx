import type { Exchange } from '@dowel/emulator/control-api';
import { Anchor, Skeleton, Stack, Switch, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import ArrowLeft from 'lucide-react/icons/arrow-left';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { exchangeQuery, exchangesQuery } from '../control-queries.ts';
import { ErrorAlert } from '../error-alert.tsx';
import { routes } from '../hash-route.ts';
import { TimeAgo } from '../time-ago.tsx';
import { AnswerPanel } from './answer-panel.tsx';
import { ExchangeActions } from './exchange-actions.tsx';
import { FollowersPanel } from './followers-panel.tsx';
import { RequestPanel } from './request-panel.tsx';
import { useVerdict } from './use-verdict.ts';

/** One request with its answer, and what came after it. */
export function ExchangePage({ id }: { id: string }) {
  const { t } = useTranslation();
  const [reveals, setReveals] = useState(false);
  // What is shown stays while the secrets are loaded.
  const exchange = useQuery({
    ...exchangeQuery(id, { reveals }),
    placeholderData: (before) => before,
  });
  return (
    <Stack gap="lg">
      <Anchor href={routes.plugins} className="back-link">
        <ArrowLeft size={16} aria-hidden />
        {t('exchange.back')}
      </Anchor>
      {exchange.isPending && (
        <Skeleton height={320} radius="lg" aria-label={t('exchange.loading')} />
      )}
      {exchange.isError && (
        <ErrorAlert
          title={t('exchange.failed')}
          error={exchange.error}
          onRetry={() => void exchange.refetch()}
        />
      )}
      {exchange.data && (
        <ExchangeView exchange={exchange.data}>
          <Switch
            label={t('exchange.reveal')}
            checked={reveals}
            onChange={(event) => setReveals(event.currentTarget.checked)}
          />
        </ExchangeView>
      )}
    </Stack>
  );
}

interface ExchangeViewProps {
  exchange: Exchange;
  /** Stands after the actions. */
  children: React.ReactNode;
}

function ExchangeView({ exchange, children }: ExchangeViewProps) {
  const { t } = useTranslation();
  const exchanges = useQuery(exchangesQuery).data?.exchanges ?? [];
  const verdict = useVerdict(exchange, exchanges);
  return (
    <>
      <div>
        <Title order={1} size="h3">
          {verdict}
        </Title>
        <TimeAgo at={exchange.at} />
        {exchange.fault && (
          <>
            {' · '}
            {t('exchange.changedBy')} <code>{exchange.fault}</code>
          </>
        )}
      </div>
      <div className="exchange-actions">
        <ExchangeActions exchange={exchange} />
        {children}
      </div>
      <div className="exchange-columns">
        <RequestPanel exchange={exchange} />
        <AnswerPanel exchange={exchange} />
        <FollowersPanel exchange={exchange} exchanges={exchanges} />
      </div>
    </>
  );
}
