/** Valid values: tests change one place at a time. */

const tenantId = '3f0c2a52-9d0b-4a57-8a3e-5d1b6c7e8f01';
export const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';

export const eventClaims = {
  iss: 'https://acme.example.com',
  iat: 1_700_000_000,
  exp: 1_700_000_060,
  jti: 'event-1',
  tenantId,
  pluginId,
};

export const accessTokenEvent = {
  ...eventClaims,
  sub: 'access_token',
  base_url: 'https://acme.example.com/',
  client: {
    client_id: 'client',
    client_secret: 'secret-ä',
    authorization_code: 'code',
    token_endpoint_url: 'api/oauth/token',
    trigger_event: {
      url: `/api/plugins/${pluginId}/access_token/${tenantId}`,
      method: 'POST',
      body: '{\n"token":"t"}',
    },
  },
};

export const initClaims = {
  iss: 'https://acme.example.com',
  sub: 'init',
  jti: 'nonce',
  iat: 1_700_000_000,
  exp: 1_700_000_060,
  'ctx.tenantId': tenantId,
  'ctx.userId': 'user-1',
  'cfg.city': ['Berlin'],
};

export const tokenResponse = {
  access_token: 'opaque.access-token',
  token_type: 'bearer',
  refresh_token: 'refresh',
  expires_in: 3600,
  scope: 'plugin:notify',
  tenant: tenantId,
  jti: 'response-1',
};

export const entryPoint = {
  id: '6f1c4b1e-6f0b-4c39-9a3e-2f3a4ad0c0de',
  url: 'plugin/',
  name: { en: 'Nudge' },
  description: { en: 'Notify a colleague.' },
};

export const configField = { key: 'city', type: 'text', label: { en: 'City' } };

export const manifest = {
  manifestVersion: '2.5.0',
  pluginVersion: '1.0.0',
  name: { en: 'Nudge' },
  description: { en: 'Notify a colleague.' },
  context: ['userName'],
  lifecycle: {
    url: 'lifecycle/',
    events: ['install', 'uninstall', 'instance_add', 'instance_remove'],
  },
  apiAccess: {
    url: 'lifecycle/',
    client: { mode: ['authorization_code'], scope: ['plugin:notify'] },
  },
  entryPoints: [entryPoint],
};

/** Only JSON can express an own member named __proto__; a literal cannot. */
export function withPrototypeMember(value: object): unknown {
  return JSON.parse(`${JSON.stringify(value).slice(0, -1)},"__proto__":{"isAdmin":true}}`);
}
