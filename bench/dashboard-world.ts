/** Shared by the measurements of the dashboard: a seeded database, a server, and an operator's session. */
import { createFirstKey, openKeyring } from '@dowel/installation-store';
import { seedInstallations } from '@dowel/installation-store/testing';
import { readStoreSettings } from '@dowel/server/settings';

/** Fills the database of a data folder. @returns the path of its file. */
export async function seedFolder(folder: string, count: number, at: number): Promise<string> {
  const { database, keyFile } = readStoreSettings({ DOWEL_DATA_DIR: folder });
  await createFirstKey({ database, keyFile });
  const keyring = openKeyring(keyFile);
  await seedInstallations({ location: database, keyring, count, at });
  return 'path' in database ? database.path : '';
}

/** Signs an operator in by a code, which works once. @returns the cookie of the session. */
export async function signIn(url: string, code: string): Promise<string> {
  const answer = await fetch(`${url}/admin/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-dowel-csrf': '1' },
    body: JSON.stringify({ code }),
  });
  if (!answer.ok) throw new Error(`The sign-in was answered with ${answer.status}`);
  return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

/** Converts a session's cookie for Playwright, at the server's address. */
export function cookieAt(
  url: string,
  cookie: string,
): { name: string; value: string; url: string } {
  const [name = '', value = ''] = cookie.split('=');
  return { name, value, url };
}
