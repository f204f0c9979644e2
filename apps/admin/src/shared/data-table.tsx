import { type ReactNode, useId } from 'react';
import classes from './data-table.module.css';

export interface DataCardProps {
  title: string;
  /** Shown below the title. */
  note?: string;
  /** Shown beside the title. */
  tools?: ReactNode;
  children?: ReactNode;
}

/** A card with a title, mostly around a {@link DataTable}. */
export function DataCard({ title, note, tools, children }: DataCardProps) {
  const id = useId();
  return (
    <section className={`card ${classes.card}`} aria-labelledby={id}>
      <div className={classes.head}>
        <h2 id={id} className={classes.title}>
          {title}
        </h2>
        {tools}
      </div>
      {note === undefined ? null : <p className={classes.note}>{note}</p>}
      {children}
    </section>
  );
}

export interface DataTableProps {
  /** The name of the table for screen readers. */
  name: string;
  columns: readonly string[];
  /** The rows, a `tr` each. */
  children: ReactNode;
}

/**
 * A table of few rows. On a narrow page each row is a card without the columns' heads, so cells that need a name
 * there have it as `data-label`.
 */
export function DataTable({ name, columns, children }: DataTableProps) {
  return (
    <div className={classes.scroller}>
      <table className={classes.table} aria-label={name}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
