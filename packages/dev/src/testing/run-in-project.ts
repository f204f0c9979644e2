import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));

export interface Run {
  code: number | null;
  output: string;
  errors: string;
}

/** Runs a test runner as a process in a folder with these files. The folder is in the package, so it finds its dependencies. */
export async function runInProject(
  files: Record<string, string>,
  { runner, args }: { runner: 'vitest/vitest.mjs' | '@playwright/test/cli.js'; args: string[] },
): Promise<Run> {
  const folder = await mkdtemp(join(packageFolder, '.project-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const [name = '', ...path] = runner.split(/(?<=^@\w+\/\w+|^\w+)\//);
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const child = spawn(process.execPath, [join(dirname(manifest), ...path), ...args], {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await ended) as [number | null];
  return { code, output, errors };
}

/** Without what the runner of this test has set for its own workers. */
function environment(): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter(
    (name) => !/^(?:VITEST|VITE_|PLAYWRIGHT_|NODE_OPTIONS)/.test(name),
  );
  return { ...Object.fromEntries(names.map((name) => [name, process.env[name]])), NO_COLOR: '1' };
}
