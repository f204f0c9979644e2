/**
 * undici-oidc-interceptor: composed into an Agent of the undici that it depends on, with a refresh
 * token, as its README says.
 */
import { Agent, type Dispatcher, request, setGlobalDispatcher } from 'undici-7';
import { createOidcInterceptor } from 'undici-oidc-interceptor';
import type { CreateContender } from './contender.ts';
import { StubAgent } from './stub-agent.ts';

export const createContender: CreateContender = (setting) => {
  const { baseUrl, clientId, clientSecret, accessToken, refreshToken, connections } = setting;
  const agent = setting.isStubbed ? new StubAgent() : new Agent({ connections });
  // Its token requests go to the global dispatcher: the same connections, as for the other libraries.
  setGlobalDispatcher(agent);
  const dispatcher = agent.compose(
    createOidcInterceptor({
      accessToken,
      refreshToken,
      clientId,
      clientSecret,
      idpTokenUrl: `${baseUrl}token`,
      retryOnStatusCodes: [401],
      urls: [new URL(baseUrl).origin],
    }),
  );

  const url = `${baseUrl}api`;
  const headers = { authorization: `Bearer ${accessToken}` };
  async function send(options: { dispatcher: Dispatcher; headers?: Record<string, string> }) {
    const { statusCode, body } = await request(url, options);
    await body.dump();
    return statusCode;
  }
  return {
    call: () => send({ dispatcher }),
    bare: () => send({ dispatcher: agent, headers }),
  };
};
