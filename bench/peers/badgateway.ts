/**
 * @badgateway/oauth2-client: its "fetch wrapper" with a stored token, as its README says. `getNewToken`
 * is where an application would start again; the README's way to say that a user is needed is null.
 */
import { OAuth2Client, OAuth2Fetch, type OAuth2Token } from '@badgateway/oauth2-client';
import { bareFetch, type CreateContender, finish } from './contender.ts';

export const createContender: CreateContender = (setting) => {
  const { baseUrl, clientId, clientSecret, accessToken, refreshToken, expiresAt } = setting;
  let stored: OAuth2Token = { accessToken, refreshToken, expiresAt };
  const client = new OAuth2Client({
    server: baseUrl,
    tokenEndpoint: `${baseUrl}token`,
    clientId,
    clientSecret,
  });
  const fetchWrapper = new OAuth2Fetch({
    client,
    getNewToken: () => null,
    getStoredToken: () => stored,
    storeToken: (token) => {
      stored = token;
    },
  });
  return {
    call: async () => finish(await fetchWrapper.fetch(`${baseUrl}api`)),
    bare: bareFetch(setting),
  };
};
