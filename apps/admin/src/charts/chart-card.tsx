import Table2 from 'lucide-react/icons/table-2';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './chart-card.module.css';

export interface ChartTable {
  /** The names of the columns after the time, which is the first column. */
  columns: readonly string[];
  rows: readonly { time: string; cells: readonly string[] }[];
}

export interface ChartCardProps {
  title: string;
  /** Shown below the title. */
  note?: ReactNode;
  /** The newest value, shown beside the title. */
  figure?: ReactNode;
  /** The same values as a table; undefined while there are none. */
  table?: ChartTable | undefined;
  children: ReactNode;
}

/** A chart with its title, and its table behind a button. */
export function ChartCard({ title, note, figure, table, children }: ChartCardProps) {
  const { t } = useTranslation();
  const id = useId();
  const [isTableShown, setTableShown] = useState(false);
  return (
    <section className={`card ${classes.card}`} aria-labelledby={id}>
      <div className={classes.head}>
        <h2 id={id}>{title}</h2>
        <span className={classes.figure}>{figure}</span>
        {table ? (
          <button
            type="button"
            className={classes.button}
            aria-expanded={isTableShown}
            aria-label={t(isTableShown ? 'charts.hideTable' : 'charts.showTable', { chart: title })}
            title={t(isTableShown ? 'charts.hideTable' : 'charts.showTable', { chart: title })}
            onClick={() => setTableShown(!isTableShown)}
          >
            <Table2 size={15} aria-hidden="true" />
          </button>
        ) : null}
      </div>
      {note === undefined ? null : <p className={classes.note}>{note}</p>}
      {children}
      {table && isTableShown ? <ValueTable title={title} table={table} /> : null}
    </section>
  );
}

function ValueTable({ title, table }: { title: string; table: ChartTable }) {
  const { t } = useTranslation();
  return (
    <section
      className={classes.scroller}
      aria-label={t('charts.values', { chart: title })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">{t('charts.time')}</th>
            {table.columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map(({ time, cells }) => (
            <tr key={time}>
              <th scope="row">{time}</th>
              {cells.map((cell, index) => (
                <td key={table.columns[index]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
