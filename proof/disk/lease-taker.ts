/**
 * A process that gets an access token for each line on its standard input, from a token endpoint that it cannot
 * reach. Prints "ready", and then the code of each error. Arguments: the path of the database, its key in
 * hexadecimal, and the id of an installation.
 */
import { createInterface } from 'node:readline';
import { createKeyring, openStore } from '@dowel/installation-store';
import { createTokenClient } from '@dowel/token-client';

const [path = '', keyText = '', installationId = ''] = process.argv.slice(2);
const store = await openStore({ path, keyring: createKeyring(Buffer.from(keyText, 'hex')) });
const unreachable = Object.assign(new Error(), { code: 'ECONNREFUSED' });
const client = createTokenClient({
  store,
  tokenFetch: () => Promise.reject(new TypeError('fetch failed', { cause: unreachable })),
});
process.stdout.write('ready\n');
for await (const _ of createInterface(process.stdin)) {
  const code = await client.getAccessToken(installationId).catch((error) => error.code);
  process.stdout.write(`${code}\n`);
}
