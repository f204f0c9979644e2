/** The result of each kill. The full run prints a table. */
import { afterAll } from 'vitest';
import { runsAll } from './kill-steps.ts';

export interface CrashRow {
  scenario: string;
  step: string;
  engine: string;
  kills: number;
  /** The time from the kill until everything worked again. */
  healedInMs: number;
  result: string;
}

/** The rows are printed when all tests of the file are over. */
export function collectRows(): (row: CrashRow) => void {
  const rows: CrashRow[] = [];
  afterAll(() => {
    if (runsAll) process.stdout.write(`\n${format(rows)}\n`);
  });
  return (row) => rows.push(row);
}

function format(rows: readonly CrashRow[]): string {
  const lines = rows.map(({ scenario, step, engine, kills, healedInMs, result }) => {
    const seconds = `${(healedInMs / 1000).toFixed(1)} s`;
    return `| ${scenario} | ${step} | ${engine} | ${kills} | ${seconds} | ${result} |`;
  });
  const header = '| scenario | killed | engine | kills | healed in | result |';
  return [header, '|---|---|---|---|---|---|', ...lines.toSorted()].join('\n');
}
