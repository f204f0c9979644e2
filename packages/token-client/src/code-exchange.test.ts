/** The exchange of an event’s code for tokens (Spec §4.2). */
import type { Server } from 'node:http';
import { answersWith } from '@dowel/emulator/authorization-server';
import { accessTokenEventSchema } from '@dowel/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  clientSecret,
  pluginId,
  startTenantWorld,
  type TenantPlatform,
  type TenantWorld,
  tenantId,
} from './testing/tenant-world.ts';
import type { TokenClientOptions } from './token-client.ts';
import type { InstallationLife } from './token-store.ts';

let now: number;
let world: TenantWorld;
let store: TenantWorld['store'];
let platform: TenantPlatform;
let installation: InstallationLife;
let baseUrl: string;
let server: Server;

beforeEach(async () => {
  now = 1_000_000;
  world = await startTenantWorld(() => now);
  ({ store, platform, installation, baseUrl, server } = world);
});

afterEach(() => world.close());

const createClient = (options?: Partial<TokenClientOptions>) => world.createClient(options);
const newCode = () => world.newCode();

describe('exchange', () => {
  const event = (code = newCode()) =>
    accessTokenEventSchema.parse({
      iss: baseUrl,
      iat: 1,
      exp: 61,
      sub: 'access_token',
      tenantId,
      pluginId,
      base_url: baseUrl,
      client: {
        client_id: 'client',
        client_secret: clientSecret,
        authorization_code: code,
        token_endpoint_url: '/api/oauth/token',
      },
    });

  test('puts grant and code in the query, Basic in UTF-8, and sends no body', async () => {
    const code = newCode();
    const options = { requestedScopes: ['plugin:notify'] };
    await createClient().acceptEvent(installation, event(code), options);

    const [request] = platform.tokenRequests;
    expect(request?.url.searchParams.get('grant_type')).toBe('authorization_code');
    expect(request?.url.searchParams.get('code')).toBe(code);
    expect(request?.body).toBe('');
    expect(request?.authorization).toBe(
      `Basic ${Buffer.from(`client:${clientSecret}`, 'utf8').toString('base64')}`,
    );
    expect(await store.grants.load(installation.id)).toMatchObject({
      grantedScopes: ['plugin:notify'],
      expiresAt: now + 3_600_000,
    });
  });

  test.each([
    [{ tenant: pluginId }, 'token_tenant_mismatch'],
    [{ token_type: 'mac' }, 'token_response_invalid'],
    [{ access_token: undefined }, 'token_response_invalid'],
    [{ padding: 'x'.repeat(70_000) }, 'token_endpoint_answered_200'],
  ])('T4: an answer with %j fails', async (changes, reason) => {
    platform.fault = answersWith(changes);

    await expect(
      createClient().acceptEvent(installation, event(), { requestedScopes: [] }),
    ).rejects.toMatchObject({
      reason,
    });
  });

  test('an unreachable token endpoint is not a rejection', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));

    await expect(
      createClient().acceptEvent(installation, event(), { requestedScopes: [] }),
    ).rejects.toMatchObject({
      reason: 'token_endpoint_unreachable',
      rejected: false,
    });
  });
});
