/** The command `dowel sign-in`: a one-time link for an owner of the dashboard. */
import { recordAction, type Store, signInCodeLifetimeMs } from '@dowel/installation-store';
import { type Environment, parsePort } from '@dowel/settings';
import type { Command } from './command.ts';
import { currentUser } from './current-user.ts';
import { whileOpen } from './while-open.ts';

export const signIn: Command = {
  summary: 'print a link that signs one owner in to the dashboard, once, within 10 minutes',
  async run({ settings, environment, say }) {
    const ownUrl = readOwnUrl(environment);
    const origin = readUrl(environment, 'DOWEL_ADMIN_ORIGIN');
    return whileOpen(settings, async (store) => {
      const found = ownUrl ?? (await readRecordedUrl(store)) ?? `http://localhost:${defaultPort}`;
      const adminUrl = origin ? `${origin}${new URL(found).pathname.replace(/\/$/, '')}` : found;
      const expiresAt = Date.now() + signInCodeLifetimeMs;
      const user = currentUser();
      const code = await recordAction(store.audit, {
        entry: { ...user, action: 'create-sign-in-link' },
        act: () => store.accounts.createSignInCode({ name: user.who, expiresAt }),
      });
      say(`${adminUrl}/admin/sign-in#code=${code}`);
      return 0;
    });
  },
};

const defaultPort = 4310;

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

/** A back end may set its address in its code, which this command cannot read. */
async function readRecordedUrl(store: Store): Promise<string | undefined> {
  // Only this command needs that part.
  const { readAdminUrl } = await import('@dowel/server');
  return readAdminUrl(store);
}

function readPort(text: string): number {
  const port = parsePort(text);
  if (port !== undefined) return port;
  throw new SyntaxError(
    'DOWEL_PORT must be the port of the back end, from 1 to 65535, or set DOWEL_PUBLIC_URL',
  );
}
