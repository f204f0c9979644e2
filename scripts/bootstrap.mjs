/**
 * `npm start` and `npm test` on a machine that has only Node ≥ 18 and npm: installs the pinned pnpm,
 * the pinned Node and all dependencies, then hands over to scripts/<command>.ts on that Node.
 * Plain JavaScript, for it runs before anything is installed.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const command = process.argv[2];
const isWindows = process.platform === 'win32';

/** Resolves with the exit code. The child gets the terminal's signals itself. */
function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit', ...options });
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ? 1 : (code ?? 1)));
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  });
}

async function install() {
  const { packageManager } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));
  const args = ['-y', packageManager, 'install', '--frozen-lockfile', '--reporter=append-only'];
  const quiet = { stdio: ['ignore', 'pipe', 'pipe'], shell: isWindows };
  const child = spawn('npx', args, { cwd: root, ...quiet });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0) {
    process.stderr.write(`${output}\nThe dependencies could not be installed (see above).\n`);
    process.exit(1);
  }
}

const [major] = process.versions.node.split('.').map(Number);
if (major < 18) {
  process.stderr.write(`Node ${process.versions.node} is too old: install Node 18 or newer.\n`);
  process.exit(1);
}
process.stdout.write('Installing dependencies …\n');
await install();
const node = `${root}/node_modules/node/bin/node${isWindows ? '.exe' : ''}`;
process.exit(await run(node, [`${root}/scripts/${command}.ts`, ...process.argv.slice(3)]));
