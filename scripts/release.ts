/**
 * `pnpm release`: checks the packages as their users get them, and publishes those whose version npm does not
 * have yet. `--dry-run` publishes nothing. Their versions come before, in a commit of their own: `pnpm changeset
 * version` makes them of the files in `.changeset`. Provenance needs a CI that npm knows, and the true address
 * of the repository.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, runStep } from './run-step.ts';

const isDry = process.argv.includes('--dry-run');

interface Manifest {
  repository: { url: string };
}

/** False: the repository's address still ends in `.example`, which is reserved and belongs to nobody. */
async function hasAddress(): Promise<boolean> {
  const text = await readFile(join(root, 'packages/schema/package.json'), 'utf8');
  const { repository } = JSON.parse(text) as Manifest;
  return !new URL(repository.url.replace(/^git\+/, '')).hostname.endsWith('.example');
}

const publish = ['-r', 'publish', '--access', 'public'];
const steps: [command: string, args: string[]][] = [
  ['node', ['scripts/check-packages.ts']],
  ['pnpm', isDry ? [...publish, '--dry-run', '--no-git-checks'] : publish],
];

if (!isDry && !(await hasAddress())) {
  process.stderr.write(
    'The packages name https://git.dowel.example as their repository: write its true address into each packages/*/package.json first.\n',
  );
  process.exit(1);
}
for (const [command, args] of steps) {
  const { code } = await runStep(command, args);
  if (code !== 0) process.exit(code);
}
