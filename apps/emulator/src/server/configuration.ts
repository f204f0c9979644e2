export interface Configuration {
  port: number;
  /** Interface to listen on; the URL always says `localhost`. */
  host: string;
  /** File that keeps the state from one start to the next; in memory only without it. */
  statePath: string | undefined;
  /** What the pages suggest to install. */
  sampleManifestUrl: string;
}

/** @throws RangeError when `EMULATOR_PORT` is not a port. */
export function parseConfiguration(env: NodeJS.ProcessEnv): Configuration {
  const port = Number(env.EMULATOR_PORT || 4300);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new RangeError('EMULATOR_PORT must be a port number from 1 to 65535');
  }
  return {
    port,
    host: env.EMULATOR_HOST || 'localhost',
    statePath: env.EMULATOR_STATE || undefined,
    sampleManifestUrl: env.EMULATOR_SAMPLE_MANIFEST || 'http://localhost:4310/manifest.json',
  };
}
