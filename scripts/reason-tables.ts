/**
 * The tables of reasons in docs/errors.md, from packages/schema/src/reasons.ts. `pnpm generate` writes
 * them; a test compares them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ReasonEntry, reasonGroups } from '../packages/schema/src/reasons.ts';
import { root } from './run-step.ts';

const page = join(root, 'docs/errors.md');

/** The page with its tables as the reasons say: each stands between two comments that name its groups. */
export function renderReasonTables(text: string): string {
  return text.replace(
    /(<!-- reasons: ([\w, ]+) -->\n)[\s\S]*?(<!-- \/reasons -->)/g,
    (_, begin: string, names: string, end: string) =>
      `${begin}${renderTable(names.split(', '))}${end}`,
  );
}

function renderTable(names: string[]): string {
  const rows = names.flatMap((name) => Object.entries(groupOf(name)).map(renderRow));
  return [
    '| reason | what it means | who can act | may pass |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function groupOf(name: string): Record<string, ReasonEntry> {
  const groups: Record<string, Record<string, ReasonEntry> | undefined> = reasonGroups;
  const group = groups[name];
  if (!group) throw new Error(`docs/errors.md names no group of reasons: ${name}`);
  return group;
}

function renderRow([reason, { sentence, actor, isTemporary }]: [string, ReasonEntry]): string {
  return `| ${reason} | ${sentence} | ${actor} | ${isTemporary ? 'yes' : 'no'} |`;
}

export const readErrorsPage = () => readFileSync(page, 'utf8');

if (import.meta.main) writeFileSync(page, renderReasonTables(readErrorsPage()));
