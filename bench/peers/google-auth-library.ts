/**
 * google-auth-library: its OAuth2Client with `forceRefreshOnFailure`, its documented answer to a 401
 * before the clock's time, and `fetch` as transport. It keeps no rotated refresh token by itself, for
 * Google rotates none; its documented `tokens` event tells of one, and is used here to set it.
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
