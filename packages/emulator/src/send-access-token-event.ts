/** The `access_token` event: the data that a plug-in needs to get an access token (Spec §2.2). */
import { issueCode, registerClient } from './authorization-server/index.ts';
import type { Environment } from './environment.ts';
import { PlatformError } from './errors.ts';
import type { ExchangeRecord } from './exchange-log.ts';
import type { Recipient } from './prepare-event.ts';
import { sendEvent } from './send-event.ts';
import type { TenantState } from './tenant-state.ts';

/**
 * Sends it with a new code. Client and trigger token stay the same for an installation's life.
 *
 * @throws PlatformError `API_ACCESS_NOT_REQUESTED`
 */
export async function sendAccessTokenEvent(
  env: Environment,
  state: TenantState,
  recipient: Recipient,
): Promise<ExchangeRecord> {
  const claims = recipient.manifest.apiAccess && accessTokenClaims(state, recipient.pluginId);
  const delivery = claims && (await sendEvent(env, state, recipient, 'access_token', claims));
  if (delivery) return delivery;
  throw new PlatformError('API_ACCESS_NOT_REQUESTED', 'The manifest has no apiAccess');
}

/** With a new code. */
export function accessTokenClaims(
  { tenant, authorizationServer, terms, lab }: TenantState,
  pluginId: string,
): Record<string, unknown> {
  const client = registerClient(authorizationServer, { pluginId });
  const baseUrl = lab.forms.baseUrl === 'issuer' ? tenant.baseUrl : elsewhere(tenant.baseUrl);
  const path = `/api/plugins/${pluginId}/access_token/${tenant.tenantId}`;
  const body = JSON.stringify({ token: client.triggerToken });
  return {
    base_url: baseUrl,
    client: {
      client_id: client.clientId,
      client_secret: client.clientSecret,
      authorization_code: issueCode(authorizationServer, client, terms()),
      // One path without a leading slash and one with it, because platforms use both.
      token_endpoint_url: 'api/oauth/token',
      trigger_event:
        lab.forms.trigger === 'path'
          ? { url: path, method: 'POST', body }
          : { uri: `${baseUrl}${path}`, body },
    },
  };
}

/** The same server by its other name: `localhost` or `127.0.0.1`. */
function elsewhere(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.hostname = url.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  return url.href;
}
