import type { InstallationSummary } from '@dowel/schema';
import { InstallationRow } from './installation-row.tsx';
import classes from './installation-table.module.css';

const columns = ['Tenant', 'Status', 'Scopes', 'Access token', 'Last event', 'Last error'];

export interface InstallationTableProps {
  installations: InstallationSummary[];
  /** More rows are loading. */
  isLoading: boolean;
}

/** Rows on a wide page, cards on a narrow one; a table to assistive technology in both. */
export function InstallationTable({ installations, isLoading }: InstallationTableProps) {
  return (
    <table
      className={`card ${classes.table}`}
      aria-label="Installations"
      aria-busy={isLoading || undefined}
    >
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
        {installations.map((installation) => (
          <InstallationRow key={installation.id} installation={installation} />
        ))}
      </tbody>
    </table>
  );
}
