/** A back end with production settings in a child process, which a test can kill at a step. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { controlArguments, controlEnvironment } from '@dowel/bff/testing';

const program = fileURLToPath(new URL('./kill-program.ts', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const watchPoints = new URL('./watch-points.ts', import.meta.url).href;

/** Points in their order. At the last one the process is killed. Without points it goes on. */
export interface PointOrder {
  points: readonly string[];
}

export interface ProcessSettings {
  environment: Record<string, string>;
  /** Milliseconds by which its clock is ahead. */
  aheadMs?: number;
  /** An order for the time of the start. */
  order?: PointOrder;
}

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export class KilledProcess {
  readonly url: string;
  readonly exited: Promise<Exit>;
  readonly startedAt = performance.now();
  #child: ChildProcess;
  #output = '';

  constructor(settings: ProcessSettings, port: number) {
    const { environment, aheadMs = 0, order } = settings;
    this.url = `http://127.0.0.1:${port}`;
    this.#child = fork(program, {
      cwd: root,
      silent: true,
      execArgv: [...controlArguments(), '--import', watchPoints],
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...controlEnvironment(),
        DOWEL_LOG_LEVEL: 'warn',
        ...environment,
        DOWEL_PORT: String(port),
        PROOF_KILL_AHEAD_MS: String(aheadMs),
        ...(order && { PROOF_KILL_ORDER: JSON.stringify(order) }),
      },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (text) => {
        this.#output = `${this.#output}${text}`.slice(-20_000);
      });
    }
    this.exited = once(this.#child, 'exit').then(([code, signal]) => ({ code, signal }));
  }

  /** The last part of its output. */
  get output(): string {
    return this.#output;
  }

  /** True if it ended because another process listens on its port. */
  get foundPortInUse(): boolean {
    return !this.isRunning && this.#output.includes('is in use');
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Rejects when it ends before it is ready. */
  async ready(): Promise<this> {
    await this.#message('ready');
    return this;
  }

  /** Resolves when the process has received the order. */
  async obey(order: PointOrder): Promise<void> {
    const obeyed = this.#message('ordered');
    // A dead process cannot receive the order; then `obeyed` rejects.
    this.#child.send({ order }, () => {});
    await obeyed;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async end(): Promise<void> {
    if (!this.isRunning) return;
    this.kill('SIGKILL');
    await this.exited;
  }

  #message(type: string): Promise<void> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const listen = (message: { type: string }) => {
        if (message.type !== type) return;
        child.off('message', listen);
        resolve();
      };
      child.on('message', listen);
      void this.exited.then(({ code, signal }) => {
        reject(new Error(`The back end ended with ${signal ?? `code ${code}`}\n${this.#output}`));
      });
    });
  }
}

const firstPort = 20_000;
const ports = 10_000;
/** A port may be in use that often in a row. */
export const maxStarts = 5;

/** On a random port, which another process may have. */
export function spawnProcess(settings: ProcessSettings): KilledProcess {
  return new KilledProcess(settings, firstPort + Math.floor(Math.random() * ports));
}

/** Ready, on a free port. */
export async function startProcess(settings: ProcessSettings): Promise<KilledProcess> {
  for (let attempt = 1; ; attempt += 1) {
    const started = spawnProcess(settings);
    try {
      return await started.ready();
    } catch (error) {
      if (attempt === maxStarts || !started.foundPortInUse) throw error;
    }
  }
}
