/** The templates build their image with npm. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const installPnpm = 'npm install --global pnpm && pnpm install --frozen-lockfile';
/** `npm ci` with an option goes before that without. The workspace file is there if pnpm has settings. */
const pnpmCommands = [
  ['package-lock.json', 'pnpm-lock.yaml pnpm-workspace.yaml*'],
  ['npm ci --omit=dev', `${installPnpm} --prod`],
  ['npm ci', installPnpm],
  [/\bnpm(?= run)/, 'pnpm'],
  ['npm prune --omit=dev', 'pnpm prune --prod'],
] as const;

/** Lets the image be built with pnpm, whose lock file is another one. */
export async function adaptDockerfile(folder: string): Promise<void> {
  const path = join(folder, 'Dockerfile');
  const text = await readFile(path, 'utf8');
  await writeFile(
    path,
    pnpmCommands.reduce((changed, [npm, pnpm]) => changed.replace(npm, pnpm), text),
  );
}
