/** Explains why the server cannot listen, in one line with the fix. */
import { ConfigError } from '../settings/config-error.ts';

const names = {
  server: { port: 'DOWEL_PORT or the option port', host: 'DOWEL_HOST, or the option host' },
  metrics: {
    port: 'DOWEL_METRICS_PORT or the option metrics.port',
    host: 'DOWEL_METRICS_HOST, or the option metrics.host',
  },
};

/** @returns the error to throw instead of a failure to listen. */
export function explainListenFailure(
  error: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
  listener: keyof typeof names = 'server',
): Error {
  const name = names[listener];
  switch (error.code) {
    case 'EADDRINUSE':
      return new ConfigError(
        `Port ${port} is in use: stop the program that uses it, or choose another port with ${name.port}.`,
      );
    case 'EACCES':
      return new ConfigError(
        `Port ${port} may not be used by this user: choose another port with ${name.port}.`,
      );
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ConfigError(
        `${name.host}: ${host} is not an address of this machine (${error.code}). Write 127.0.0.1 for this machine alone, or 0.0.0.0 for all its interfaces.`,
      );
    default:
      return error;
  }
}
