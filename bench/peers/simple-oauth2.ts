/**
 * simple-oauth2: the README's loop, `expired(window)` before each call and `refresh()` when it returns true.
 * It sends no calls itself, so it never sees a 401; a failed refresh is logged, as in the README.
 * Its token requests go by its own HTTP client's agent: one with a limit, given by its `http` option,
 * is deeply copied there, and the copy never sends what waits for a connection.
 */
import { AuthorizationCode } from 'simple-oauth2';
import { bareFetch, type CreateContender, finish } from './contender.ts';

const expirationWindowInSeconds = 300;

export const createContender: CreateContender = (setting) => {
  const { baseUrl, clientId, clientSecret, accessToken, refreshToken, expiresAt } = setting;
  const client = new AuthorizationCode({
    client: { id: clientId, secret: clientSecret },
    auth: { tokenHost: baseUrl, tokenPath: new URL('token', baseUrl).pathname },
  });
  let token = client.createToken({
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_at: new Date(expiresAt),
  });

  async function call(): Promise<number> {
    if (token.expired(expirationWindowInSeconds)) {
      try {
        token = await token.refresh();
      } catch (error) {
        console.log('Error refreshing access token: ', (error as Error).message);
      }
    }
    const authorization = `Bearer ${token.token.access_token as string}`;
    return finish(await fetch(`${baseUrl}api`, { headers: { authorization } }));
  }

  return {
    call,
    bare: bareFetch(setting),
    expire: () => {
      token = client.createToken({ ...token.token, expires_at: new Date(0) });
    },
  };
};
