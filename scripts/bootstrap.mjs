/**
 * `npm start` and `npm test` on a machine that has only Node ≥ 18 and npm: installs the pinned pnpm, the
 * pinned Node and all dependencies, then runs scripts/<command>.ts on that Node. It is plain JavaScript
 * because it runs before anything is installed. npm's shell may end without passing a signal on, so under npm it also
 * looks every half second whether its parent still exists. `exec node` in package.json is unknown to Windows, and
 * corepack is not part of newer Nodes.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const command = process.argv[2];
const isWindows = process.platform === 'win32';

/** npm, or the shell between. */
const parent = process.ppid;
const parentCheckMs = 500;

/**
 * Calls `end` with the signal that must end the started program: one that this process gets, or SIGTERM when npm has
 * ended. A shell between npm and this process may pass no signal on. Without npm the program may outlive its shell.
 *
 * @returns a function that stops it.
 */
function onStop(end) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, end);
  const checkParent = () => {
    if (process.ppid !== parent) end('SIGTERM');
  };
  const timer = process.env.npm_lifecycle_event
    ? setInterval(checkParent, parentCheckMs)
    : undefined;
  return () => {
    for (const signal of signals) process.off(signal, end);
    clearInterval(timer);
  };
}

/** Returns a shell's exit code for a signal. */
function exitCodeOf(code, signal) {
  return signal ? 128 + constants.signals[signal] : (code ?? 1);
}

/** Resolves with the exit code. The channel tells the program when this process has been killed. */
function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
    const child = spawn(program, args, { cwd: root, stdio, ...options });
    const ignoreStops = onStop((signal) => child.kill(signal));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      ignoreStops();
      resolve(exitCodeOf(code, signal));
    });
  });
}

/**
 * Shows retries, because npm and pnpm can be silent for more than a minute. The number of attempts is
 * unchanged.
 */
function shortenPauses(environment) {
  const shortened = { ...environment };
  for (const program of ['npm', 'pnpm']) {
    shortened[`${program}_config_fetch_retry_mintimeout`] ||= '1000';
    shortened[`${program}_config_fetch_retry_maxtimeout`] ||= '2000';
  }
  return shortened;
}

/** Codes of npm, words of pnpm. */
const networkCause =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|CERT_HAS_EXPIRED|[Cc]onnection (?:refused|reset|closed)|dns error|operation timed out)\b/;

async function install() {
  const { packageManager } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));
  const args = ['-y', packageManager, 'install', '--frozen-lockfile', '--reporter=append-only'];
  const quiet = { stdio: ['ignore', 'pipe', 'pipe'], shell: isWindows };
  const child = spawn('npx', args, {
    cwd: root,
    ...quiet,
    env: shortenPauses(process.env),
    // A group of its own: npx, npm and pnpm end together.
    detached: !isWindows,
  });
  let stopped;
  const ignoreStops = onStop((signal) => {
    stopped = signal;
    endGroup(child, signal);
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => {
    output += text;
    errors += text;
  });
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve('missing'));
    child.once('close', resolve);
  });
  ignoreStops();
  if (stopped) process.exit(exitCodeOf(null, stopped));
  if (code === 0) return;
  process.stderr.write(`${explainInstall(code, output, errors)}\n`);
  process.exit(1);
}

function endGroup(child, signal) {
  try {
    if (isWindows) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It has ended, or it never started.
  }
}

/** One line if the cause is known; otherwise the output of npm and pnpm. */
function explainInstall(code, output, errors) {
  if (code === 'missing') return 'npx was not found: install npm, which brings it.';
  // The reason for the end. Retried requests are on stdout (pnpm) or in lines of another level
  // (npm).
  const reason = errors
    .split('\n')
    .filter((line) => !/^npm (?!error|ERR!)/.test(line))
    .join('\n');
  const [, cause] = networkCause.exec(reason) ?? [];
  if (!cause) return `${output}\nThe dependencies could not be installed (see above).`;
  const [, address = 'the npm registry'] = /(https?:\/\/[\w.:[\]-]+)/.exec(reason) ?? [];
  return `The dependencies could not be downloaded: ${address} cannot be reached (${cause}). The first start needs the network, or a registry that you can reach: npm config set registry <URL>.`;
}

const [major] = process.versions.node.split('.').map(Number);
if (major < 18) {
  process.stderr.write(`Node ${process.versions.node} is too old: install Node 18 or newer.\n`);
  process.exit(1);
}
// A reader such as head may close a pipe early. What is started then decides whether it ends.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
process.stdout.write('Installing dependencies …\n');
await install();
const node = `${root}/node_modules/node/bin/node${isWindows ? '.exe' : ''}`;
// Each of the many processes would compile the same modules again.
const env = { NODE_COMPILE_CACHE: `${root}/.cache/node`, ...process.env };
try {
  process.exit(
    await run(node, [`${root}/scripts/${command}.ts`, ...process.argv.slice(3)], { env }),
  );
} catch (error) {
  process.stderr.write(
    `The Node of this folder cannot be started: ${node} (${error.code}). It comes with the dependencies and needs glibc on Linux. Install scripts must be allowed: npm config delete ignore-scripts.\n`,
  );
  process.exit(1);
}
