/** The emulator as a process: starts the server, notifies its parent, and ends when the parent ends. */
import { fileURLToPath } from 'node:url';
import { ConfigurationError, parseConfiguration } from './server/configuration.ts';
import { type RunningEmulator, startServer } from './server/start-server.ts';
import { StateFileError } from './server/state-file.ts';

const webRoot = fileURLToPath(new URL('../dist/', import.meta.url));

try {
  const emulator = await startServer({
    ...parseConfiguration(process.env),
    webRoot,
    onError: (error) => process.stderr.write(`${describe(error)}\n`),
  });
  endWithParent(emulator);
  process.stdout.write(`The emulator is ready at ${emulator.url}\n`);
  process.send?.({ type: 'ready', url: emulator.url });
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
  process.channel?.unref();
}

function endWithParent(emulator: RunningEmulator): void {
  const end = () => {
    void emulator.close().finally(() => process.exit(0));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.once(signal, end);
}

/** One line for each problem. */
function explain(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  return `The emulator could not start: ${explainFailure(error)}`;
}

function explainFailure(error: unknown): string {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use. Set EMULATOR_PORT to another one.`;
  }
  if (['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code ?? '')) {
    return `EMULATOR_HOST is not an address of this machine (${code}). Write localhost.`;
  }
  if (code === 'EACCES') return `port ${port} may not be used. Set EMULATOR_PORT to another one.`;
  return error instanceof Error ? error.message : String(error);
}

function describe(error: unknown): string {
  if (error instanceof StateFileError) return error.message;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `The emulator failed: ${text}`;
}
