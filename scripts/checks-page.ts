/** docs/checks.md, from the checks of packages/conformance. `pnpm generate` writes it; a test compares it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderMatrix } from '../packages/conformance/scripts/matrix-table.ts';
import type { Check } from '../packages/conformance/src/check.ts';
import { checks } from '../packages/conformance/src/checks/all-checks.ts';
import { notJudged } from '../packages/conformance/src/report/report.ts';
import { root } from './run-step.ts';

const page = join(root, 'docs/checks.md');

const introduction = `# The checks of dowel doctor

[\`dowel doctor\`](../packages/dev/README.md#is-your-back-end-right) examines the back end of a plug-in, in any language. This page has each check by its id; \`dowel doctor --explain ID\` prints one. Section numbers are those of [the specification](specification.md).

A **must** comes from the specification, or is about security. A **should** comes from facts of the platform, or from OAuth (RFC 6749). A **note** never counts. \`apiAccess\` is that of the manifest; the others are options of the command.`;

export function renderChecksPage(): string {
  const groups = Map.groupBy(checks, ({ id }) => id.split('.')[0] ?? '');
  return [
    introduction,
    ...[...groups].flatMap(([name, group]) => [`## ${name}`, ...group.map(describe)]),
    '## Not judged',
    'No check can see this from outside. Each report has this list:',
    notJudged.map((each) => `- ${each}`).join('\n'),
    '## How the checks are tested',
    'Each wrong back end below is a right one with one line changed. Tests let the doctor examine them: only the checks that are named find something. Right back ends in plain Node, in Python and with Dowel have no finding.',
    `${renderMatrix()}\n`,
  ].join('\n\n');
}

function describe({ id, claim, reference, severity, needs, why, seen, fix }: Check): string {
  const names = needs.map((need) => (need === 'apiAccess' ? '`apiAccess`' : `\`--${need}\``));
  const needed = names.length > 0 ? `, needs ${names.join(' and ')}` : '';
  return [
    `### ${id}\n`,
    `${claim} (**${severity}**, ${reference}${needed})\n`,
    `- **Why:** ${why}`,
    `- **Seen:** ${seen}`,
    `- **Fix:** ${fix}`,
  ].join('\n');
}

export const readChecksPage = () => readFileSync(page, 'utf8');

if (import.meta.main) writeFileSync(page, renderChecksPage());
