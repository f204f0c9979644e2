/** The commands of this package, as a process runs them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { parsePort, readEnvironment } from '@dowel/settings';
import { bypassProxies } from './bypass-proxies.ts';
import { runFault } from './control/run-fault.ts';
import { runSend } from './control/run-send.ts';
import { DevError } from './dev-error.ts';
import { type DevLine, sayTo } from './dev-line.ts';
import { runDoctorCommand } from './doctor/run-doctor-command.ts';
import { formatLine } from './format-line.ts';
import { EmulatorError, runEmulator } from './platform/run-emulator.ts';
import { printUsage } from './print-usage.ts';
import { type RunningDev, startDev } from './start-dev.ts';

const usage = `Usage: dowel dev [options] [-- COMMAND]
       dowel emulator
       dowel send EVENT [options]
       dowel fault NAME [options]
       dowel doctor MANIFEST-URL [options]

  dev        the emulated platform, your back end and your page with hot updates
  emulator   only the emulated platform; its settings are EMULATOR_PORT, EMULATOR_STATE …
  send       lets the platform send an event, and prints the answer: dowel send --help
  fault      lets the platform's next requests go wrong: dowel fault --help
  doctor     examines a back end in any language: dowel doctor --help

  --server FILE           the back end. Default: server/main.ts, server.ts, src/server.ts, or the same in .js
  -- COMMAND              the back end in any language; it listens at the port in PORT
  --port 4310             the port of the plug-in
  --platform-port 4300    the port of the platform
  --fresh                 forget what was kept in .dowel
  --json                  one JSON object for each line`;
const keys =
  'Keys: o open · r restart · i install again · t access_token event · u link for another user · q end';

const output = {
  say: (line: string) => void process.stdout.write(`${line}\n`),
  warn: (line: string) => void process.stderr.write(`${line}\n`),
};
/** An orphan would keep its ports. */
const watchParentMs = 500;

/**
 * Runs one command. `dev` and `emulator` run until a signal, or the end of the parent process. Returns the exit code: 0
 * done, 1 refused or not started, 2 misused; `doctor` has more.
 */
export async function runDevCommand(args: readonly string[]): Promise<number> {
  bypassProxies(process.env);
  const [name, ...rest] = args;
  const context = { root: process.cwd(), ...output };
  if (name === 'send') return runOnce(runSend(rest, context));
  if (name === 'fault') return runOnce(runFault(rest, context));
  if (name === 'emulator' && rest.length === 0) return runUntilSignal(runEmulatorCommand);
  if (name === 'doctor') return runUntilSignal((signal) => runDoctor(rest, signal));
  const options = readCommand(name, rest);
  if (typeof options === 'string') return printUsage(options, { usage, ...output });
  return runUntilSignal((signal) => runDev(options, signal));
}

async function runOnce(running: Promise<number>): Promise<number> {
  try {
    return await running;
  } catch (error) {
    if (!(error instanceof DevError)) throw error;
    output.warn(error.message);
    return 1;
  }
}

/** Returns what is wrong as a text; '' asks for help. */
function readCommand(name: string | undefined, rest: readonly string[]) {
  if (name === 'dev') return readOptions(rest);
  const isHelp = (word: string | undefined) => word === '--help' || word === '-h';
  if (isHelp(name) || (name === 'emulator' && isHelp(rest[0]))) return '';
  if (name === 'emulator') return 'The emulator takes no options: set EMULATOR_PORT and others.';
  return name === undefined ? 'Which command?' : 'There is no such command.';
}

type DevOptions = Exclude<ReturnType<typeof readOptions>, string>;

/** Returns what is wrong as a text; '' asks for help. */
function readOptions(args: readonly string[]) {
  const at = args.indexOf('--');
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values } = parseArgs({
      args: at < 0 ? [...args] : args.slice(0, at),
      options: {
        server: text,
        port: text,
        'platform-port': text,
        fresh: flag,
        json: flag,
        help: { ...flag, short: 'h' },
      },
    });
    if (values.help) return '';
    return {
      command: at < 0 ? undefined : args.slice(at + 1),
      server: values.server,
      port: readPort('--port', values.port),
      platformPort: readPort('--platform-port', values['platform-port']),
      fresh: values.fresh,
      isJson: values.json,
    };
  } catch (error) {
    return (error as Error).message;
  }
}

function readPort(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = parsePort(text);
  if (port === undefined) throw new TypeError(`${option} must be a port number from 1 to 65535`);
  return port;
}

async function runUntilSignal(run: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  // The end takes at most a few seconds, so a second signal changes nothing.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, abort);
  // Nobody reads the lines any more.
  process.stdout.on('error', abort);
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) abort();
  }, watchParentMs).unref();
  try {
    return await run(stop.signal);
  } catch (error) {
    if (!(error instanceof DevError || error instanceof EmulatorError)) throw error;
    if (!stop.signal.aborted) process.stderr.write(`${error.message}\n`);
    return stop.signal.aborted ? 0 : 1;
  } finally {
    clearInterval(watch);
  }
}

async function runEmulatorCommand(signal: AbortSignal): Promise<number> {
  const emulator = await runEmulator({
    environment: readEnvironment(),
    warn: (line) => void process.stderr.write(`${line}\n`),
  });
  process.stdout.write(`The emulator is ready at ${emulator.url}\n`);
  if (!signal.aborted) await once(signal, 'abort');
  await emulator.close();
  return 0;
}

function runDoctor(args: readonly string[], signal: AbortSignal): Promise<number> {
  const { stdout, stderr } = process;
  return runDoctorCommand(args, {
    root: process.cwd(),
    ...output,
    signal,
    terminal: stderr.isTTY ? stderr : undefined,
    colors: stdout.isTTY && stdout.hasColors(),
  });
}

async function runDev({ isJson, ...options }: DevOptions, signal: AbortSignal): Promise<number> {
  const print = (line: DevLine) =>
    void process.stdout.write(`${isJson ? JSON.stringify(line) : formatLine(line)}\n`);
  const ended = new AbortController();
  const all = AbortSignal.any([signal, ended.signal]);
  const dev = await startDev({ root: process.cwd(), ...options, signal: all, say: print });
  const say = sayTo(print);
  say('dev', `The plug-in is at ${dev.url}, the platform at ${dev.platformUrl}.`);
  say('dev', `Open it: ${dev.signInUrl()}`);
  if (process.stdin.isTTY) say('dev', keys);
  const stopReading = readKeys((key) => act(key, { dev, say, end: () => ended.abort() }));
  const code = await dev.done;
  stopReading();
  return code;
}

function act(
  key: string,
  { dev, say, end }: { dev: RunningDev; say: ReturnType<typeof sayTo>; end(): void },
): void {
  if (key === 'o') openBrowser(dev.signInUrl());
  else if (key === 'u') say('dev', `Open it: ${dev.signInUrl()}`);
  else if (key === 'r') dev.act('restart');
  else if (key === 'i') dev.act('install');
  else if (key === 't') dev.act('sendAccessToken');
  else if (key === 'q' || key === '\u0003') end();
  else say('dev', keys);
}

/** Only with a terminal. Returns how to stop that. */
function readKeys(onKey: (key: string) => void): () => void {
  const { stdin } = process;
  if (!stdin.isTTY) return () => {};
  const read = (data: Buffer) => onKey(data.toString());
  stdin.setRawMode(true).on('data', read).resume();
  return () => void stdin.off('data', read).setRawMode(false).pause();
}

/** The link is printed, so a failure is ignored. */
function openBrowser(url: string): void {
  const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' };
  const opener = openers[process.platform] ?? 'xdg-open';
  spawn(opener, [url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
