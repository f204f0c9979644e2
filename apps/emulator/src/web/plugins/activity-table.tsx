import { Button, Table, Text, Title } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';

const shortLength = 10;

interface ActivityRow {
  id: number;
  /** One cell per column; null is an empty cell. */
  cells: readonly React.ReactNode[];
}

export interface ActivityTableProps {
  title: string;
  /** Shown while there are no rows. */
  emptyText: string;
  columns: readonly string[];
  /** Newest first. */
  rows: readonly ActivityRow[];
}

/** A titled table that shows the newest rows and the older ones on demand. */
export function ActivityTable({ title, emptyText, columns, rows }: ActivityTableProps) {
  const { t } = useTranslation();
  const headingId = useId();
  const [showsAll, setShowsAll] = useState(false);
  const hiddenCount = rows.length - shortLength;
  const shown = showsAll ? rows : rows.slice(0, shortLength);

  return (
    <section className="panel" aria-labelledby={headingId}>
      <Title order={2} size="h4" id={headingId} mb="xs">
        {title}
      </Title>
      {rows.length === 0 && <Text c="dimmed">{emptyText}</Text>}
      {rows.length > 0 && <Rows columns={columns} rows={shown} labelledBy={headingId} />}
      {hiddenCount > 0 && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? t('activity.newestOnly') : t('activity.older', { count: hiddenCount })}
        </Button>
      )}
    </section>
  );
}

type RowsProps = Pick<ActivityTableProps, 'columns' | 'rows'> & { labelledBy: string };

/** On phones the rows become blocks; the roles keep them a table for screen readers. */
function Rows({ columns, rows, labelledBy }: RowsProps) {
  return (
    <Table className="activity" role="table" aria-labelledby={labelledBy} verticalSpacing="xs">
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {columns.map((column) => (
            <Table.Th key={column} role="columnheader" scope="col">
              {column}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">
        {rows.map(({ id, cells }) => (
          <Table.Tr key={id} role="row">
            {columns.map((column, index) => (
              <Table.Td key={column} role="cell" data-label={column}>
                {cells[index]}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
