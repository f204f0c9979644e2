/**
 * google-auth-library: its OAuth2Client with `forceRefreshOnFailure`, which is documented for a 401
 * before the expiry, and `fetch` as transport. It does not keep rotated refresh tokens, because Google
 * does not rotate them. Its documented `tokens` event contains the new one, and is used here to set it.
 */
import { gaxios, OAuth2Client } from 'google-auth-library';
import type { CreateContender } from './contender.ts';

export const createContender: CreateContender = (setting) => {
  const { baseUrl, clientId, clientSecret, accessToken, refreshToken, expiresAt } = setting;
  const fetchImplementation: typeof fetch = (input, init) => fetch(input, init);
  const client = new OAuth2Client({
    clientId,
    clientSecret,
    endpoints: { oauth2TokenUrl: `${baseUrl}token` },
    forceRefreshOnFailure: true,
    transporterOptions: { fetchImplementation },
  });
  client.setCredentials({
    access_token: accessToken,
    refresh_token: refreshToken,
    expiry_date: expiresAt,
  });
  client.on('tokens', (tokens) => {
    if (tokens.refresh_token) client.setCredentials(tokens);
  });

  const bareClient = new gaxios.Gaxios({ fetchImplementation });
  const headers = { authorization: `Bearer ${accessToken}` };
  const url = `${baseUrl}api`;
  return {
    call: async () => (await client.request({ url })).status,
    bare: async () => (await bareClient.request({ url, headers })).status,
  };
};
