/** Child processes that answer one request at a time. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// biome-ignore lint/suspicious/noExplicitAny: any function of any arguments
type Commands = { [Name in string]: (...args: any[]) => unknown };
type CommandsOf<Type> = { [Name in keyof Type]: Extract<Type[Name], Commands[string]> };

export interface Child<Type> {
  pid: number;
  /** @throws Error when it crashed or takes longer than its limit */
  ask<Name extends keyof CommandsOf<Type> & string>(
    name: Name,
    ...args: Parameters<CommandsOf<Type>[Name]>
  ): Promise<Awaited<ReturnType<CommandsOf<Type>[Name]>>>;
  end(): Promise<void>;
}

type Answer = { result?: unknown; error?: string };

/** Only the end of its log is of interest, and only after a crash. */
const keptStderr = 600;

/** @param env in addition to its parent's */
export function startChild<Type>(
  path: string,
  args: string[],
  limitMs: number,
  env: NodeJS.ProcessEnv = {},
): Child<Type> {
  const script = fileURLToPath(new URL(path, import.meta.url));
  const child: ChildProcess = fork(script, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-keptStderr);
  });

  async function ask(name: string, ...rest: unknown[]): Promise<unknown> {
    const answer = await new Promise<Answer>((resolve, reject) => {
      const limit = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`${path} hung`));
      }, limitMs);
      const crash = () => {
        clearTimeout(limit);
        reject(new Error(`${path} crashed`, { cause: stderr }));
      };
      child.once('exit', crash);
      child.once('message', (message: Answer) => {
        clearTimeout(limit);
        child.off('exit', crash);
        resolve(message);
      });
      if (child.connected) child.send({ name, args: rest });
      else crash();
    });
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.result;
  }

  return {
    pid: child.pid ?? 0,
    ask: ask as Child<Type>['ask'],
    async end() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exited;
    },
  };
}

type Answers<Type> = {
  [Name in keyof Type]: (
    ...args: Parameters<CommandsOf<Type>[Name]>
  ) => ReturnType<CommandsOf<Type>[Name]> | Promise<ReturnType<CommandsOf<Type>[Name]>>;
};

export function answerParent<Type>(commands: Answers<Type>): void {
  process.on('message', async (question: { name: keyof Type; args: never }) => {
    const { name, args } = question;
    try {
      process.send?.({ result: await commands[name](...args) });
    } catch (error) {
      process.send?.({ error: (error as Error).stack ?? String(error) });
    }
  });
  process.on('disconnect', () => process.exit(0));
}
