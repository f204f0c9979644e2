import type { ExchangeSummary } from '@dowel/emulator/control-api';
import { Anchor, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { exchangeRoute } from '../hash-route.ts';
import { ExchangeName } from './exchange-name.tsx';
import { ExchangePanel } from './exchange-panel.tsx';
import { ExchangeStatus } from './exchange-status.tsx';
import { findFollowers } from './find-followers.ts';

export interface FollowersPanelProps {
  exchange: ExchangeSummary;
  /** Oldest first. */
  exchanges: readonly ExchangeSummary[];
}

/** What a request caused: requests that came before its answer, and the one after it. */
export function FollowersPanel({ exchange, exchanges }: FollowersPanelProps) {
  const { t } = useTranslation();
  const { during, next } = findFollowers(exchange, exchanges);
  return (
    <ExchangePanel title={t('exchange.caused')}>
      {during.length > 0 && (
        <Followers title={t('exchange.beforeAnswer')} exchanges={during.slice(0, maxShown)} />
      )}
      {next && <Followers title={t('exchange.nextRequest')} exchanges={[next]} />}
      {during.length === 0 && !next && (
        <Text size="sm" c="dimmed">
          {t('exchange.causedNothing')}
        </Text>
      )}
    </ExchangePanel>
  );
}

const maxShown = 10;

function Followers({ title, exchanges }: { title: string; exchanges: readonly ExchangeSummary[] }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title}
      </Text>
      <ul className="followers">
        {exchanges.map((each) => (
          <li key={each.id}>
            <Anchor href={exchangeRoute(each.id)} size="sm">
              <ExchangeName exchange={each} />
            </Anchor>
            <ExchangeStatus exchange={each} />
          </li>
        ))}
      </ul>
    </div>
  );
}
