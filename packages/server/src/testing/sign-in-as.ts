import { randomBytes, scryptSync } from 'node:crypto';
import type { OperatorRole } from '@dowel/admin-api';
import type { Store } from '@dowel/installation-store';
import { Secret } from '@dowel/schema';
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

/** A real hash takes half a second. */
function hashCheaply(text: string): Secret {
  const salt = randomBytes(16);
  const hash = scryptSync(text, salt, 32, { N: 2 ** 10, r: 8, p: 1 });
  const encoded = [salt, hash].map((bytes) => bytes.toString('base64url'));
  return new Secret(['scrypt', 10, 8, 1, ...encoded].join('$'));
}
