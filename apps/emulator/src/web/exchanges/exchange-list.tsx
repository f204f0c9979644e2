import type { ExchangeSummary } from '@dowel/emulator/control-api';
import { Anchor, Button, Table, Text, Title } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { exchangeRoute } from '../hash-route.ts';
import { TimeAgo } from '../time-ago.tsx';
import { ExchangeName } from './exchange-name.tsx';
import { ExchangeStatus } from './exchange-status.tsx';
import { useDuration } from './use-duration.ts';

const shortLength = 10;

export interface ExchangeListProps {
  title: string;
  /** Oldest first. */
  exchanges: readonly ExchangeSummary[];
}

/** The requests of one installation, in and out, newest first. Older ones are shown on demand. */
export function ExchangeList({ title, exchanges }: ExchangeListProps) {
  const { t } = useTranslation();
  const headingId = useId();
  const [showsAll, setShowsAll] = useState(false);
  const hiddenCount = exchanges.length - shortLength;
  const newestFirst = exchanges.toReversed();

  return (
    <div>
      <Title order={4} size="h6" mb={6} id={headingId}>
        {title}
      </Title>
      {exchanges.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('exchange.none')}
        </Text>
      )}
      {exchanges.length > 0 && (
        <Rows
          labelledBy={headingId}
          exchanges={showsAll ? newestFirst : newestFirst.slice(0, shortLength)}
        />
      )}
      {hiddenCount > 0 && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? t('exchange.newestOnly') : t('exchange.older', { count: hiddenCount })}
        </Button>
      )}
    </div>
  );
}

const columns = ['what', 'when', 'status', 'duration', 'error'] as const;

/** On phones the rows become blocks; the roles keep them a table for screen readers. */
function Rows({
  labelledBy,
  exchanges,
}: Pick<ExchangeListProps, 'exchanges'> & { labelledBy: string }) {
  const { t } = useTranslation();
  return (
    <Table className="activity" role="table" aria-labelledby={labelledBy} verticalSpacing="xs">
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {columns.map((column) => (
            <Table.Th key={column} role="columnheader" scope="col">
              {t(`exchange.column.${column}`)}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">
        {exchanges.map((exchange) => (
          <Row key={exchange.id} exchange={exchange} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Row({ exchange }: { exchange: ExchangeSummary }) {
  const { t } = useTranslation();
  const duration = useDuration(exchange);
  const { id, at, error, fault } = exchange;
  const cells = {
    what: (
      <Anchor href={exchangeRoute(id)} size="sm">
        <ExchangeName exchange={exchange} />
      </Anchor>
    ),
    when: <TimeAgo at={at} />,
    status: <ExchangeStatus exchange={exchange} />,
    duration,
    error: (error ?? fault) && (
      <span>
        {error && `${error.message} (${error.code})`} {fault && <code>{fault}</code>}
      </span>
    ),
  };
  return (
    <Table.Tr role="row">
      {columns.map((column) => (
        <Table.Td key={column} role="cell" data-label={t(`exchange.column.${column}`)}>
          {cells[column]}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
