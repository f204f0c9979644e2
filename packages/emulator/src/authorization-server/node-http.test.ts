/** The token endpoint on a bare server, with its faults. */
import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listen } from '../testing/listen.ts';
import {
  type AnswerFault,
  answersWith,
  answerTokenRequest,
  createAuthorizationServer,
  issueCode,
  meetFault,
  type Presentation,
  readTokenRequest,
  registerClient,
  sendTokenAnswer,
  strictRules,
} from './index.ts';

const tenantId = '3f0c2a52-9d0b-4a57-8a3e-5d1b6c7e8f01';
const terms = { now: 0, rules: strictRules };

let endpoint: Awaited<ReturnType<typeof startEndpoint>>;

beforeEach(async () => {
  endpoint = await startEndpoint();
});
afterEach(() => endpoint.stop());

async function startEndpoint() {
  const state = createAuthorizationServer({ tenantId });
  const client = registerClient(state, { pluginId: 'plugin' });
  const faults: AnswerFault[] = [];
  const presentations: Presentation[] = [];
  const server = createServer(async (request, response) => {
    const tokenRequest = await readTokenRequest(request);
    const answer = () => {
      const given = answerTokenRequest(state, tokenRequest, terms);
      presentations.push(given.presentation);
      return given;
    };
    sendTokenAnswer(response, await meetFault(faults.shift() ?? {}, answer));
  });
  const { origin, stop } = await listen(server);
  const basic = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');
  const request = (query: string, init: RequestInit = {}) =>
    fetch(`${origin}/token${query}`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      ...init,
    });
  return {
    presentations,
    faults,
    stop,
    exchange: () => {
      const code = issueCode(state, client, terms);
      return request(`?grant_type=authorization_code&code=${code}`);
    },
    exchangeInBody: () => {
      const code = issueCode(state, client, terms);
      return request('', { body: new URLSearchParams({ grant_type: 'authorization_code', code }) });
    },
  };
}

test('parameters are taken from the query and from the form body', async () => {
  for (const response of [await endpoint.exchange(), await endpoint.exchangeInBody()]) {
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toMatchObject({ token_type: 'bearer', tenant: tenantId });
  }
});

test('a changed answer has spent its code', async () => {
  endpoint.faults.push(answersWith({ scope: '', refresh_token: undefined }), {
    change: () => ({ status: 200, body: '<html>' }),
  });

  const changed = await (await endpoint.exchange()).json();
  const garbage = await endpoint.exchange();

  expect(changed).toMatchObject({ scope: '' });
  expect(changed).not.toHaveProperty('refresh_token');
  expect([garbage.headers.get('content-type'), await garbage.text()]).toEqual([
    'text/html',
    '<html>',
  ]);
  expect(endpoint.presentations).toMatchObject([{ error: null }, { error: null }]);
});
