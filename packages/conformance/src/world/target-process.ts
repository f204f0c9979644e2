/** The back end as a child process of the doctor: started, killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { maskSecrets } from '@dowel/emulator';
import { open } from '../check.ts';
import { DoctorError } from '../doctor-error.ts';
import { freshFetch } from '../fresh-fetch.ts';
import type { Interruption } from '../interruption.ts';

export interface TargetProcess {
  /** Kills it by SIGKILL, and resolves when it answers again. @throws DoctorError `START_FAILED`; Finding `open` */
  restart(): Promise<void>;
  /** Starts it again if it has ended. @throws DoctorError `START_FAILED`; Finding `open` */
  revive(): Promise<void>;
  /** Each end of the process that the doctor did not cause. */
  unexpectedEnds(): readonly string[];
  end(): Promise<void>;
}

interface Run {
  child: ChildProcess;
  /** The command has ended. What it has started may still run. */
  exited: Promise<unknown>;
  /** Nobody writes errors any more. */
  ended: Promise<unknown>;
  isStopping: boolean;
}

const startLimitMs = 30_000;
const endLimitMs = 1_000;
const stepMs = 50;
const keptCharacters = 4_096;
const shownCharacters = 400;

/**
 * Starts the back end and resolves when the URL answers; undefined without a command.
 *
 * @throws DoctorError `TARGET_RUNS_ALREADY`, `START_FAILED`
 */
export async function startTarget(
  manifestUrl: string,
  command: string | undefined,
  interruption: Interruption,
): Promise<TargetProcess | undefined> {
  if (command === undefined) return undefined;
  if (await answers(manifestUrl)) {
    const message = `Something answers at ${manifestUrl} already. End it, or leave out --start.`;
    throw new DoctorError('TARGET_RUNS_ALREADY', message);
  }
  const ends: string[] = [];
  let run = spawnBackEnd(command, ends);
  // An orphan would keep its port.
  const killAtExit = () => kill(run);
  process.on('exit', killAtExit);
  const end = async () => {
    process.off('exit', killAtExit);
    await stop(run);
  };
  const wait = () => waitUntilReady(manifestUrl, { run, ends, interruption });
  try {
    await wait();
  } catch (error) {
    await end();
    throw error;
  }
  const restart = async () => {
    await stop(run);
    if (await answers(manifestUrl)) {
      throw open('It cannot be ended: --start has moved it to another group of processes');
    }
    run = spawnBackEnd(command, ends);
    await wait();
  };
  return {
    restart,
    async revive() {
      if (await answers(manifestUrl)) return;
      // Its end is noted a moment after its last answer.
      await Promise.race([run.ended, pause(endLimitMs, undefined, { ref: false })]);
      await restart();
    },
    unexpectedEnds: () => ends,
    end,
  };
}

/** In its own process group, because a shell runs the command. */
function spawnBackEnd(command: string, ends: string[]): Run {
  const child = spawn(command, {
    shell: true,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-keptCharacters);
  });
  const run: Run = {
    child,
    exited: once(child, 'exit').catch(() => {}),
    ended: once(child, 'close').catch(() => {}),
    isStopping: false,
  };
  child.on('error', (error) => ends.push(error.message));
  child.on('close', (code, signal) => {
    if (run.isStopping) return;
    const shown = maskSecrets(errors).slice(-shownCharacters);
    ends.push(`${signal ?? `exit code ${code}`}. ${shown}`.trim());
  });
  return run;
}

async function waitUntilReady(
  manifestUrl: string,
  { run, ends, interruption }: { run: Run; ends: readonly string[]; interruption: Interruption },
): Promise<void> {
  const before = ends.length;
  const end = Date.now() + startLimitMs;
  while (!(await answers(manifestUrl))) {
    if (ends.length > before) throw failed(`It ended: ${ends.at(-1)}`);
    const reason = interruption.reason();
    if (reason !== null) throw failed(reason);
    if (Date.now() > end) throw failed(`${manifestUrl} did not answer within 30 s`);
    await Promise.race([run.ended, interruption.ended, pause(stepMs)]);
  }
}

function failed(message: string): DoctorError {
  return new DoctorError('START_FAILED', `--start did not start the back end. ${message}`);
}

function answers(url: string): Promise<boolean> {
  return freshFetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    async ({ body }) => {
      await body?.cancel();
      return true;
    },
    () => false,
  );
}

function kill({ child }: Run): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** A process that has left the group is not killed. It may keep the pipe open. */
async function stop(run: Run): Promise<void> {
  run.isStopping = true;
  kill(run);
  await run.exited;
  await Promise.race([run.ended, pause(endLimitMs, undefined, { ref: false })]);
  run.child.stderr?.destroy();
}
