import type { OperatorRole } from '@dowel/admin-api';
import type { Store } from '@dowel/installation-store';
import { hashCheaply } from './hash-cheaply.ts';
import { cookieOf, type World } from './start-world.ts';

const password = 'four words will do';

/** Adds an account, and signs in with its password. @returns the cookie of the session. */
export async function signInAs(
  world: Pick<World, 'post'> & { store: Pick<Store, 'accounts'> },
  name: string,
  role: OperatorRole,
): Promise<string> {
  await world.store.accounts.addAccount({ name, role, createdAt: 1 });
  await world.store.accounts.changePassword(name, hashCheaply(password));
  const credentials = { name, password };
  const csrf = { 'x-dowel-csrf': '1' };
  return cookieOf(await world.post('/admin/api/session/password', credentials, csrf));
}
