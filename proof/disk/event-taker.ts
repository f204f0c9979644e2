/**
 * A process that decides one access_token event while others write without end. Its token endpoint answers at
 * once. Prints the status and the reason of the answer. Arguments: the path of the database and its key in
 * hexadecimal.
 */
import { randomUUID } from 'node:crypto';
import { createKeyring, openStore, type Store } from '@dowel/installation-store';
import { createLifecycle } from '@dowel/lifecycle';
import { accessTokenEventSchema } from '@dowel/schema';
import { createTokenClient } from '@dowel/token-client';

const [path = '', keyText = ''] = process.argv.slice(2);
const issuer = 'https://acme.example.com';
const scope = 'plugin:notify';
const store = await openStore({ path, keyring: createKeyring(Buffer.from(keyText, 'hex')) });
const tokens = {
  access_token: 'a',
  refresh_token: 'r',
  token_type: 'Bearer',
  expires_in: 3_600,
  scope,
};
const tokenClient = createTokenClient({ store, tokenFetch: async () => Response.json(tokens) });
const lifecycle = createLifecycle({ store, tokenClient, requestedScopes: [scope] });
const seconds = Math.floor(Date.now() / 1_000);
const event = accessTokenEventSchema.parse({
  iss: issuer,
  sub: 'access_token',
  tenantId: randomUUID(),
  pluginId: randomUUID(),
  iat: seconds,
  exp: seconds + 60,
  base_url: `${issuer}/`,
  client: {
    client_id: 'client',
    client_secret: 'secret',
    authorization_code: 'code',
    token_endpoint_url: 'api/oauth/token',
  },
});
for (let writers = 0; writers < 4; writers += 1) void writeWithoutEnd(store);
const { status, reason } = await lifecycle.accept(event);
process.stdout.write(`${status} ${reason}\n`);
process.exit();

async function writeWithoutEnd(store: Store): Promise<void> {
  for (;;) {
    const key = { issuer, tenantId: randomUUID(), pluginId: randomUUID() };
    await store.installations.begin(key, 1, 1);
  }
}
