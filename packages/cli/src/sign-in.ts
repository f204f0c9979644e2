/** The command `dowel sign-in`: a one-time link for an owner of the dashboard. */
import { recordDeed, signInCodeLifetimeMs } from '@dowel/installation-store';
import type { Environment } from '@dowel/settings';
import type { Command } from './command.ts';
import { currentUser } from './current-user.ts';
import { whileOpen } from './while-open.ts';

export const signIn: Command = {
  summary: 'print a link that signs one owner in to the dashboard, once, within 10 minutes',
  run: ({ settings, environment, say }) =>
    whileOpen(settings, async (store) => {
      const expiresAt = Date.now() + signInCodeLifetimeMs;
      const user = currentUser();
      const code = await recordDeed(store.audit, {
        entry: { ...user, action: 'create-sign-in-link' },
        act: () => store.accounts.createSignInCode({ name: user.who, expiresAt }),
      });
      say(`${publicUrlOf(environment)}/admin/sign-in#code=${code}`);
      return 0;
    }),
};

/** As the back end reads it. */
function publicUrlOf({ DOWEL_PUBLIC_URL, DOWEL_PORT }: Environment): string {
  return (DOWEL_PUBLIC_URL || `http://localhost:${DOWEL_PORT || 4310}`).replace(/\/$/, '');
}
