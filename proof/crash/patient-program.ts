/** A back end whose calls may take ten minutes, so that a test can hold them on a machine of any speed. */
import { notificationSchema } from '@dowel/schema';
import { createServer, defineOperation, path } from '@dowel/server';

const timeoutMs = 600_000;

const createNotification = defineOperation({
  input: notificationSchema,
  output: notificationSchema,
  scopes: ['plugin:notify'],
  limit: { perUserPerMinute: 1_000_000, perTenantPerMinute: 1_000_000 },
  timeoutMs,
  async run({ input, platform, installation: { pluginId }, instanceId }) {
    const address = path`/api/plugins/${pluginId}/instances/${instanceId}/notifications`;
    const { ok, status } = await platform.fetch(address, { json: input, timeoutMs });
    if (!ok) throw new Error(`The platform answers ${status}`);
    return input;
  },
});

const server = createServer({ operations: { createNotification } });
await server.start();
process.send?.({ type: 'ready' });
await server.closed;
process.exit(0);
