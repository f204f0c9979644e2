import type { InstallationSummary } from '@dowel/schema';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { InstallationRow } from './installation-row.tsx';
import classes from './installation-table.module.css';

const pageSize = 50;
const columns = ['Tenant', 'Status', 'Scopes', 'Access token', 'Last event', 'Last error'];

/** Rows on a wide page, cards on a narrow one; a table to assistive technology in both. */
export function InstallationTable({ installations }: { installations: InstallationSummary[] }) {
  const [shownCount, setShownCount] = useState(pageSize);
  if (installations.length === 0) {
    return <p className={`card ${classes.none}`}>No installation matches the search.</p>;
  }
  return (
    <>
      <table className={`card ${classes.table}`} aria-label="Installations">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {installations.slice(0, shownCount).map((installation) => (
            <InstallationRow key={installation.id} installation={installation} />
          ))}
        </tbody>
      </table>
      {installations.length > shownCount ? (
        <Button variant="default" mt="md" onClick={() => setShownCount(shownCount + pageSize)}>
          Show more of {installations.length}
        </Button>
      ) : null}
    </>
  );
}
