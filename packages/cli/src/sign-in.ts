/** The command `dowel sign-in`: a one-time link for an owner of the dashboard. */
import { recordDeed, signInCodeLifetimeMs } from '@dowel/installation-store';
import { type Environment, parsePort } from '@dowel/settings';
import type { Command } from './command.ts';
import { currentUser } from './current-user.ts';
import { whileOpen } from './while-open.ts';

export const signIn: Command = {
  summary: 'print a link that signs one owner in to the dashboard, once, within 10 minutes',
  async run({ settings, environment, say }) {
    const publicUrl = readPublicUrl(environment);
    return whileOpen(settings, async (store) => {
      const expiresAt = Date.now() + signInCodeLifetimeMs;
      const user = currentUser();
      const code = await recordDeed(store.audit, {
        entry: { ...user, action: 'create-sign-in-link' },
        act: () => store.accounts.createSignInCode({ name: user.who, expiresAt }),
      });
      say(`${publicUrl}/admin/sign-in#code=${code}`);
      return 0;
    });
  },
};

/** As the back end reads it. @throws SyntaxError */
function readPublicUrl({ DOWEL_PUBLIC_URL, DOWEL_PORT }: Environment): string {
  if (!DOWEL_PUBLIC_URL) return `http://localhost:${readPort(DOWEL_PORT || '4310')}`;
  const url = URL.parse(DOWEL_PUBLIC_URL);
  if (url && ['http:', 'https:'].includes(url.protocol)) return url.href.replace(/\/$/, '');
  throw new SyntaxError(
    'DOWEL_PUBLIC_URL must be an http(s) URL, such as https://plugin.example.com',
  );
}

function readPort(text: string): number {
  const port = parsePort(text);
  if (port !== undefined) return port;
  throw new SyntaxError(
    'DOWEL_PORT must be the port of the back end, from 1 to 65535, or set DOWEL_PUBLIC_URL',
  );
}
