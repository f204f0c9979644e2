/** The doctor's own test as a table for docs/checks.md: wrong back ends, and the checks that find them. */
import { checks } from '../src/checks/all-checks.ts';
import { mistakes } from '../src/testing/mistakes.ts';

/** One row for each wrong back end, in the order of the checks. */
export function renderMatrix(): string {
  const order = checks.map(({ id }) => id);
  const placeOf = (finds: readonly string[]) => order.indexOf(finds[0] ?? '');
  const rows = [...mistakes.values()]
    .sort((one, other) => placeOf(one.finds) - placeOf(other.finds))
    .map(({ does, finds, blocks }) => `| ${does} | ${namesOf(finds)} | ${namesOf(blocks)} |`);
  const head = ['| a back end that … | is found by | and cannot be judged by |', '|---|---|---|'];
  return [...head, ...rows].join('\n');
}

function namesOf(ids: readonly string[] | 'others'): string {
  return ids === 'others' ? 'all others' : ids.map((id) => `\`${id}\``).join(', ');
}

if (import.meta.main) process.stdout.write(`${renderMatrix()}\n`);
