/** The author's back end as a child process: started, started again, awaited and ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Say } from '../dev-line.ts';
import { describeEnd, describeSpawnError, findPlace, isPortTaken } from './describe-end.ts';
import { describeLogLine } from './describe-log-line.ts';
import { endGroup } from './end-group.ts';
import { endWithParent } from './end-with-parent.ts';
import type { BackEndCommand } from './find-command.ts';
import { readLines } from './read-lines.ts';

export interface BackEndOptions {
  /** The working folder of the program. */
  root: string;
  command: BackEndCommand;
  /** Returns the whole environment of a program that is to listen at this port. @throws SyntaxError for a broken `.env` */
  environment(port: number): NodeJS.ProcessEnv;
  say: Say;
  /** Called when it ended by itself, or could not be started. @param how sentences, with the author's line that failed */
  onEnd(how: string): void;
}

export interface BackEnd {
  /** Resolves with the port at which it listens; with undefined when it has ended, or when the signal is aborted. */
  port(signal: AbortSignal): Promise<number | undefined>;
  /** Ends it if it runs, and starts it again. Resolves when the new process exists. */
  restart(): Promise<void>;
  /** Whether the running process has loaded this file. Only known of a Node program with a channel. */
  hasLoaded(path: string): boolean;
  close(): Promise<void>;
}

type State = 'starting' | 'ended' | { port: number };

interface Context extends BackEndOptions {
  state: State;
  /** Emits `change` after each change of the state. */
  changes: EventEmitter;
  run: Run | undefined;
  /** How often it was started. */
  starts: number;
  isClosed: boolean;
}

interface Run {
  child: ChildProcess;
  /** Resolves when the process has ended, or could not be started. */
  ended: Promise<void>;
  isStopping: boolean;
  /** It is not ended any more when this process is killed. */
  release(): Promise<unknown>;
  /** File URLs. */
  loaded: Set<string>;
}

const connectEveryMs = 25;
const slowMs = 10_000;
const portTries = 2;

/** Creates the back end. `restart` starts it. */
export function createBackEnd(options: BackEndOptions): BackEnd {
  const changes = new EventEmitter().setMaxListeners(0);
  const context: Context = {
    ...options,
    state: 'starting',
    changes,
    run: undefined,
    starts: 0,
    isClosed: false,
  };
  return {
    port: (signal) => waitForPort(context, signal),
    restart: () => restart(context, portTries),
    hasLoaded: (path) => context.run?.loaded.has(pathToFileURL(path).href) ?? false,
    async close() {
      context.isClosed = true;
      await stopRun(context);
      setState(context, 'ended');
    },
  };
}

/** @param tries how often another port may be used if another program has taken this one before it listened */
async function restart(context: Context, tries: number): Promise<void> {
  setState(context, 'starting');
  context.starts += 1;
  const { starts } = context;
  await stopRun(context);
  // Each start has another one: the process before it may still hold its own.
  const port = await findFreePort();
  if (context.isClosed || context.starts !== starts) return;
  startRun(context, { port, tries });
}

function setState(context: Context, state: State): void {
  context.state = state;
  context.changes.emit('change');
}

async function waitForPort(context: Context, signal: AbortSignal): Promise<number | undefined> {
  while (context.state === 'starting') {
    try {
      await once(context.changes, 'change', { signal });
    } catch {
      return undefined;
    }
  }
  return context.state === 'ended' ? undefined : context.state.port;
}

function startRun(context: Context, { port, tries }: { port: number; tries: number }): void {
  const { command, root, say } = context;
  const startedAt = performance.now();
  let env: NodeJS.ProcessEnv;
  try {
    env = context.environment(port);
  } catch (error) {
    setState(context, 'ended');
    say('server', (error as Error).message, { level: 'error' });
    return;
  }
  const child = spawn(command.file, command.args, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe', ...(command.hasChannel ? (['ipc'] as const) : [])],
    // A group of its own: a signal reaches what the program has started, and Ctrl-C does not arrive twice.
    detached: process.platform !== 'win32',
  });
  const errors = printOutput(child, say);
  const closed = Promise.race([once(child, 'close'), once(child, 'error')]);
  const ended = closed.then(
    () => {},
    () => {},
  );
  const { pid } = child;
  const hasGroup = pid !== undefined && process.platform !== 'win32';
  const release = hasGroup ? endWithParent(pid) : async () => {};
  const run: Run = { child, ended, isStopping: false, release, loaded: new Set() };
  child.on('message', ({ loaded }: { loaded?: string }) => {
    if (typeof loaded === 'string') run.loaded.add(loaded);
  });
  context.run = run;
  child.once('error', (error) => errors.push(describeSpawnError(command.file, error)));
  void run.ended.then(() => {
    if (run.isStopping) return;
    if (tries > 0 && isPortTaken(errors)) return void restart(context, tries - 1);
    setState(context, 'ended');
    const place = findPlace(errors, root);
    context.onEnd(describeEnd({ child, port, errors }) + (place && ` See ${place}.`));
  });
  void awaitListening(context, { run, port, startedAt });
}

/** Says each line. Returns the last lines of standard error, which grow. */
function printOutput({ stdout, stderr }: ChildProcess, say: Say): string[] {
  const errors: string[] = [];
  const print = (line: string) => {
    const { level, text } = describeLogLine(line);
    // Said already, from the file.
    if (!text.startsWith('manifest.warning ')) say('server', text, { level });
  };
  if (stdout) readLines(stdout, print);
  if (stderr) {
    readLines(stderr, (line) => {
      errors.push(line);
      if (errors.length > 100) errors.shift();
      print(line);
    });
  }
  return errors;
}

/** There is no time limit: a program may wait for its database. */
async function awaitListening(
  context: Context,
  { run, port, startedAt }: { run: Run; port: number; startedAt: number },
): Promise<void> {
  let isSaid = false;
  const isCurrent = () => context.run === run && context.state === 'starting' && !run.isStopping;
  while (isCurrent()) {
    const isListening = await tryToConnect(port);
    const ms = Math.round(performance.now() - startedAt);
    if (!isCurrent()) return;
    if (isListening) {
      setState(context, { port });
      context.say('server', 'The back end is ready.', { ms });
      return;
    }
    if (ms > slowMs && !isSaid) {
      isSaid = true;
      context.say('server', `Still waiting for the back end to listen at PORT, which is ${port}.`, {
        level: 'warn',
      });
    }
    await pause(connectEveryMs);
  }
}

function tryToConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: 'localhost' });
    const end = (isListening: boolean) => {
      socket.destroy();
      resolve(isListening);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}

/** Below the ports that a system gives out for port 0: another program could get one of those before ours listens. */
async function findFreePort(): Promise<number> {
  const port = randomInt(20_000, 32_768);
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (error) {
    if (!['EADDRINUSE', 'EACCES'].includes(String(Object(error).code))) throw error;
    return findFreePort();
  }
  server.close();
  await once(server, 'close');
  return port;
}

/** Resolves when the process and all that it started have ended. */
async function stopRun(context: Context): Promise<void> {
  const { run } = context;
  context.run = undefined;
  if (!run) return;
  run.isStopping = true;
  await endGroup(run.child);
  await Promise.all([run.ended, run.release()]);
}
