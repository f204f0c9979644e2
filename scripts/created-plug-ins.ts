/** Plug-ins that the packed `create-dowel` creates from the packed packages, as a person begins: on the oldest Node. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { startOnUnusedPort } from '../packages/settings/src/testing/index.ts';
import { runsAll } from './consumer-project.ts';
import { findChromium } from './find-chromium.ts';
import { run } from './pack-packages.ts';
import { root, runStep } from './run-step.ts';

interface Place {
  /** An empty folder for the plug-ins. */
  folder: string;
  /** Of all packages, in one folder. */
  tarballs: readonly string[];
  /** The program of the Node to use. */
  node: string;
}

interface Choice {
  template: 'react' | 'node';
  manager: 'npm' | 'pnpm';
}

/** The usual choice, and then each other template and manager. */
const choices: Choice[] = [
  { template: 'react', manager: 'npm' },
  { template: 'node', manager: 'npm' },
  { template: 'react', manager: 'pnpm' },
];

/** Creates plug-ins, and does in them what their READMEs say: `npm run test:all` takes each choice, else the usual one. */
export async function checkCreatedPlugIns(place: Place): Promise<void> {
  const creator = place.tarballs.find((path) => basename(path).startsWith('create-')) ?? '';
  await compareFiles(creator);
  await mkdir(place.folder);
  const chosen = runsAll ? choices : choices.slice(0, 1);
  for (const choice of chosen) await checkOne(choice, { ...place, creator });
}

/** The tarball has every file of the templates, and no other: npm never packs some names, and packs all that a tool left. */
async function compareFiles(creator: string): Promise<void> {
  const listed = await run(root, 'git', 'ls-files', 'packages/create-dowel/template-*');
  const packed = await run(root, 'tar', '-tzf', creator);
  const expected = listed.replaceAll('packages/create-dowel/', 'package/').split('\n');
  const files = packed.split('\n').filter((path) => /^package\/template-.*[^/]$/.test(path));
  const different = new Set(expected.filter(Boolean)).symmetricDifference(new Set(files));
  if (different.size > 0) throw new Error(`create-dowel: ${[...different].join(' ')}`);
}

async function checkOne(
  { template, manager }: Choice,
  { folder, node, creator }: Place & { creator: string },
): Promise<void> {
  const PATH = [dirname(node), join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const DOWEL_CHROMIUM = runsAll ? await findChromium() : undefined;
  const step = async (cwd: string, command: string, ...args: string[]) => {
    const { code, output } = await runStep(command, args, {
      capture: true,
      cwd,
      env: { PATH, DOWEL_CHROMIUM },
      limitMs: 600_000,
    });
    if (code !== 0) throw new Error(`${[command, ...args].join(' ')}\n${output}`);
  };
  const name = `${template} für ${manager}`;
  const options = ['--template', template, '--packages', dirname(creator)];
  const create = ['create-dowel', name, ...options];
  if (manager === 'npm')
    await step(folder, 'npm', 'exec', '--yes', `--package=${creator}`, '--', ...create);
  else await step(folder, 'pnpm', `--package=${creator}`, 'dlx', ...create);
  const plugin = join(folder, name);
  await step(plugin, manager, 'test');
  await step(plugin, manager, 'run', '--if-present', 'build');
  if (runsAll) await step(plugin, manager, 'run', '--if-present', 'test:e2e');
  await step(plugin, manager, 'run', 'validate');
  await startOnUnusedPort((port) =>
    startOnUnusedPort((platformPort) => develop(plugin, { node, port, platformPort })),
  );
}

/** Runs `dowel dev` until its widget is placed, and ends it. */
async function develop(
  cwd: string,
  { node, port, platformPort }: { node: string; port: number; platformPort: number },
): Promise<void> {
  const program = join(cwd, 'node_modules/@dowel/cli/lib/main.js');
  const ports = ['--port', String(port), '--platform-port', String(platformPort)];
  const child = spawn(node, [program, 'dev', '--json', ...ports], { cwd });
  const closed = once(child, 'close');
  const printed: string[] = [];
  child.stderr.on('data', (data: Buffer) => void printed.push(data.toString()));
  try {
    for await (const line of createInterface(child.stdout)) {
      printed.push(line);
      if (!line.includes('instance_add → ')) continue;
      if (line.includes('instance_add → 201')) return;
      break;
    }
    throw new Error(`dowel dev\n${printed.join('\n')}`);
  } finally {
    child.stdout.resume();
    child.kill();
    await closed;
  }
}
