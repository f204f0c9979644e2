/** The emulator as a process: starts the server, notifies its parent, and ends when the parent ends. */
import { type RunningPlatform, runEmulator } from '@dowel/dev';

const warn = (line: string) => void process.stderr.write(`${line}\n`);

try {
  const emulator = await runEmulator({ environment: process.env, warn });
  endWithParent(emulator);
  process.stdout.write(`The emulator is ready at ${emulator.url}\n`);
  process.send?.({ type: 'ready', url: emulator.url });
} catch (error) {
  warn((error as Error).message);
  process.exitCode = 1;
  process.channel?.unref();
}

function endWithParent(emulator: RunningPlatform): void {
  const end = () => {
    void emulator.close().finally(() => process.exit(0));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.once(signal, end);
}
