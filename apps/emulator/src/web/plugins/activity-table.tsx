import { Button, Table, Text, Title } from '@mantine/core';
import { useId, useState } from 'react';

const shortLength = 10;

export interface ActivityTableProps {
  title: string;
  /** Said while there are no rows. */
  emptyText: string;
  columns: readonly string[];
  /** Table rows, newest first. */
  rows: readonly React.ReactElement[];
}

/** A titled table that shows the newest rows first and the rest on demand. */
export function ActivityTable({ title, emptyText, columns, rows }: ActivityTableProps) {
  const headingId = useId();
  const [showsAll, setShowsAll] = useState(false);
  const hiddenCount = rows.length - shortLength;

  return (
    <section className="panel" aria-labelledby={headingId}>
      <Title order={2} size="h4" id={headingId} mb="xs">
        {title}
      </Title>
      {rows.length === 0 && <Text c="dimmed">{emptyText}</Text>}
      {rows.length > 0 && (
        // Focusable, for a region that scrolls must be reachable by keyboard.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        <section className="table-scroll" tabIndex={0} aria-labelledby={headingId}>
          <Table verticalSpacing="xs" highlightOnHover miw={600}>
            <Table.Thead>
              <Table.Tr>
                {columns.map((column) => (
                  <Table.Th key={column} scope="col">
                    {column}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>{showsAll ? rows : rows.slice(0, shortLength)}</Table.Tbody>
          </Table>
        </section>
      )}
      {hiddenCount > 0 && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show the newest only' : `Show ${hiddenCount} older`}
        </Button>
      )}
    </section>
  );
}
