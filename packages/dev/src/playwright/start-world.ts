/** The platform and the author's back end, for the tests of one worker of Playwright. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Platform } from '@dowel/emulator';
import { type BackEnd, createBackEnd } from '../back-end/back-end.ts';
import { readBackEndEnvironment } from '../back-end/environment.ts';
import { findCommand } from '../back-end/find-command.ts';
import { DevError } from '../dev-error.ts';
import { sayTo } from '../dev-line.ts';
import { formatLine } from '../format-line.ts';
import { openFront } from '../front/front.ts';
import { startPlatform } from '../platform/start-platform.ts';

export interface PluginProgram {
  /**
   * The program of the back end with its arguments. It listens at the port in `PORT`. Default: `server/main.ts`, `server.ts`
   * or `src/server.ts` in Node, or the script `start`.
   */
  command?: readonly string[] | undefined;
  /** The folder of the plug-in. Default: the working folder. */
  cwd?: string | undefined;
}

export interface World {
  platform: Platform;
  manifestUrl: string;
  /** The newest 1,000 lines of the back end. */
  readLog(): string;
  close(): Promise<void>;
}

const keptLines = 1_000;
const startMs = 60_000;

/**
 * Starts the platform, and the back end behind an address of its own.
 *
 * @param onEnd called when the back end ends by itself after its start
 * @throws DevError with the output of a back end that ends, or that does not listen in time. Then nothing runs any more.
 */
export async function startWorld(
  { command, cwd = '.' }: PluginProgram,
  onEnd: (error: DevError) => void,
): Promise<World> {
  const root = resolve(cwd);
  const program = findCommand(root, { command });
  const dataPath = await mkdtemp(join(tmpdir(), 'dowel-playwright-'));
  const closers = [() => rm(dataPath, { recursive: true })];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  const lines: string[] = [];
  const readLog = () => lines.join('\n');
  const say = sayTo((line) => {
    lines.push(stripVTControlCharacters(formatLine(line)));
    if (lines.length > keptLines) lines.shift();
  });
  try {
    const front = await openFront(0);
    closers.push(front.close);
    const { url } = front;
    const { platform, ...running } = await startPlatform({
      port: 0,
      sampleManifestUrl: `${url}/manifest.json`,
      onError: (error) => say('platform', String(error), { level: 'error' }),
      platform: { keyBits: 2048 },
    });
    closers.push(running.close);
    let isReady = false;
    const backEnd = createBackEnd({
      root,
      command: program,
      environment: (port) =>
        readBackEndEnvironment(root, { port, url, platformUrl: running.url, dataPath }),
      say,
      onEnd(how) {
        say('server', how, { level: 'error' });
        if (isReady) onEnd(new DevError(`${how}\n${readLog()}`));
      },
    });
    closers.push(backEnd.close);
    front.answerWith({ backEnd, page: Promise.resolve(undefined) });
    await start(backEnd, readLog);
    isReady = true;
    return { platform, manifestUrl: `${url}/manifest.json`, readLog, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(backEnd: BackEnd, readLog: () => string): Promise<void> {
  const signal = AbortSignal.timeout(startMs);
  await backEnd.restart();
  if ((await backEnd.port(signal)) !== undefined) return;
  const why = signal.aborted ? `does not listen at PORT after ${startMs / 1_000} s` : 'has ended';
  throw new DevError(`The back end ${why}:\n${readLog()}`);
}
