/** The command `dowel sign-in`: a one-time link for an owner of the dashboard. */
import { recordAction, signInCodeLifetimeMs } from '@dowel/installation-store';
import { findAdminUrl } from './admin-url.ts';
import type { Command } from './command.ts';
import { currentUser } from './current-user.ts';
import { whileOpen } from './while-open.ts';

export const signIn: Command = {
  summary: 'print a link that signs one owner in to the dashboard, once, within 10 minutes',
  run: ({ settings, environment, say }) =>
    whileOpen(settings, async (store) => {
      const adminUrl = await findAdminUrl(store, environment);
      const expiresAt = Date.now() + signInCodeLifetimeMs;
      const user = currentUser();
      const code = await recordAction(store.audit, {
        entry: { ...user, action: 'create-sign-in-link' },
        act: () => store.accounts.createSignInCode({ name: user.who, expiresAt }),
      });
      say(`${adminUrl}/admin/sign-in#code=${code}`);
      return 0;
    }),
};
