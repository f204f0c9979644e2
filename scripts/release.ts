/**
 * `pnpm release`: checks the packages as their users get them, and publishes those whose version npm does not
 * have yet. `--dry-run` publishes nothing. Their versions come before, in a commit of their own: `pnpm changeset
 * version` makes them of the files in `.changeset`. Provenance needs a CI that npm knows, and the true address
 * of the repository.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packPackages, run } from './pack-packages.ts';
import { root, runStep } from './run-step.ts';

const isDry = process.argv.includes('--dry-run');

interface Manifest {
  name: string;
  version: string;
  repository: { url: string };
}

/** False: the repository's address still ends in `.example`, which is reserved and belongs to nobody. */
async function hasAddress(): Promise<boolean> {
  const text = await readFile(join(root, 'packages/schema/package.json'), 'utf8');
  const { repository } = JSON.parse(text) as Manifest;
  return !new URL(repository.url.replace(/^git\+/, '')).hostname.endsWith('.example');
}

/** The tarballs, not the folders: in the tarballs the READMEs have the links that work without the repository. */
async function publish(tarball: string): Promise<void> {
  const text = await run(root, 'tar', '-xzOf', tarball, 'package/package.json');
  const { name, version } = JSON.parse(text) as Manifest;
  // For an unknown name npm fails, for an unknown version it prints nothing.
  const known = await runStep('npm', ['view', `${name}@${version}`, 'version'], { capture: true });
  if (known.code === 0 && known.output.trim() !== '') return;
  await run(root, 'npm', 'publish', '--access', 'public', tarball);
}

if (!isDry && !(await hasAddress())) {
  process.stderr.write(
    'The packages name https://git.dowel.example as their repository: write its true address into the package.json of each package first.\n',
  );
  process.exit(1);
}
// It publishes nothing, but shows what npm would publish.
const { code } = await runStep('node', ['scripts/check-packages.ts'], {
  env: { DOWEL_TESTS: 'all' },
});
if (code !== 0 || isDry) process.exit(code);
const folder = await mkdtemp(join(tmpdir(), 'dowel-release-'));
for (const tarball of await packPackages(folder)) await publish(tarball);
await rm(folder, { recursive: true });
