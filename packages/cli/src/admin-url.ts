/** Where the back end's dashboard is, for commands. */
import type { Store } from '@dowel/installation-store';
import { type Environment, parsePort } from '@dowel/settings';

const defaultPort = 4310;

/**
 * By the settings of the shell; without them the address of the back end that opened the database last, which may
 * have set it in its code.
 *
 * @returns a URL with its path, without a slash at the end. @throws SyntaxError
 */
export async function findAdminUrl(
  { backEnd }: Pick<Store, 'backEnd'>,
  environment: Environment,
): Promise<string> {
  const origin = readUrl(environment, 'DOWEL_ADMIN_ORIGIN');
  const recorded = readOwnUrl(environment) ?? (await backEnd.findAdminUrl());
  const found = recorded ?? `http://localhost:${defaultPort}`;
  return origin ? `${origin}${new URL(found).pathname.replace(/\/$/, '')}` : found;
}

/** The public URL by the settings, like in the back end. Undefined: nothing is set. @throws SyntaxError */
function readOwnUrl(environment: Environment): string | undefined {
  const { DOWEL_PORT } = environment;
  const url = readUrl(environment, 'DOWEL_PUBLIC_URL');
  return url ?? (DOWEL_PORT ? `http://localhost:${readPort(DOWEL_PORT)}` : undefined);
}

/** @throws SyntaxError */
function readUrl(
  environment: Environment,
  name: 'DOWEL_PUBLIC_URL' | 'DOWEL_ADMIN_ORIGIN',
): string | undefined {
  const text = environment[name];
  if (!text) return undefined;
  const url = URL.parse(text);
  if (url && ['http:', 'https:'].includes(url.protocol)) return url.href.replace(/\/$/, '');
  throw new SyntaxError(`${name} must be an http(s) URL, such as https://plugin.example.com`);
}

function readPort(text: string): number {
  const port = parsePort(text);
  if (port !== undefined) return port;
  throw new SyntaxError(
    'DOWEL_PORT must be the port of the back end, from 1 to 65535, or set DOWEL_PUBLIC_URL',
  );
}
