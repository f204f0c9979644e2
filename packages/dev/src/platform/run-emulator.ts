/** The emulator as its settings say: for `dowel emulator`, and for `npm start` of Dowel. */
import { ConfigurationError, parseConfiguration } from './configuration.ts';
import { type RunningPlatform, startPlatform } from './start-platform.ts';
import { StateFileError } from './state-file.ts';

/** The emulator cannot start. Each line of the message names one problem and its fix. */
export class EmulatorError extends Error {
  override readonly name = 'EmulatorError';
}

/** @throws EmulatorError */
export async function runEmulator({
  environment,
  warn,
}: {
  environment: NodeJS.ProcessEnv;
  /** Receives the lines of warnings, and of failures while it runs. */
  warn(line: string): void;
}): Promise<RunningPlatform> {
  try {
    const { eventFormat, src, ...configuration } = parseConfiguration(environment);
    const onError = (error: unknown) => warn(describe(error));
    const running = await startPlatform({
      ...configuration,
      onError,
      platform: { eventFormat, src },
    });
    const exposure = describeExposure(configuration.host);
    if (exposure !== undefined) warn(exposure);
    return running;
  } catch (error) {
    throw new EmulatorError(explain(error), { cause: error });
  }
}

/** Returns a warning if others can reach this interface: the control API wants no password. */
export function describeExposure(host: string): string | undefined {
  if (host === 'localhost' || host === '::1' || /^127(?:\.\d+){3}$/.test(host)) return undefined;
  return `EMULATOR_HOST is ${host}: everybody who reaches this machine can sign in as anybody, and read each token. Without it, only this machine can.`;
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
