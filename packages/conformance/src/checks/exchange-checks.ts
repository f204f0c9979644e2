/** The exchange of the code for tokens, and the 201 that depends on it (Spec §3, §4.2, §7). */
import { randomUUID } from 'node:crypto';
import type { Exchange, FaultName, FaultOptions } from '@dowel/emulator';
import { blocked, type CheckRow, checksOf, wrong } from '../check.ts';
import { isAccepted, type Trial } from '../world/trial.ts';

const needs = ['apiAccess'] as const;

export const exchangeChecks = checksOf(needs, [
  {
    id: 'exchange.query',
    claim:
      'The token request is a POST with `grant_type` and `code` in the query, once each, and without a body.',
    reference: 'Spec §4.2',
    why: 'The specification shows only this form.',
    seen: 'Reads method, query and body of the first token request.',
    fix: 'Put both into the query string, and send no body.',
    async run(trial) {
      const { method, url, body } = await firstExchange(trial);
      const query = new URL(url).searchParams;
      if (method !== 'POST') throw wrong(`It was a ${method}`);
      if (body !== '') throw wrong(`It had a body with ${namesOf(body)}`);
      for (const name of ['grant_type', 'code']) {
        const count = query.getAll(name).length;
        if (count !== 1) throw wrong(`The query has ${name} ${count} times`);
      }
      if (query.get('grant_type') !== 'authorization_code') {
        throw wrong(`grant_type was ${query.get('grant_type')}`);
      }
    },
  },
  {
    id: 'exchange.basic',
    claim:
      '`Authorization` is Basic with the base64 of the UTF-8 bytes of `client_id:client_secret`.',
    reference: 'Spec §4.2',
    why: 'It works until the platform makes a secret with a character beyond ASCII, or with `+` or `%`.',
    seen: 'The secret has such characters. Compares the header byte by byte.',
    fix: 'base64(utf8(id + ":" + secret)): do not form-encode them, and do not use Latin-1 (btoa).',
    async run(trial) {
      const { headers } = await firstExchange(trial);
      requireBasic(headers.authorization ?? '', clientOf(trial));
    },
  },
  {
    id: 'exchange.secretPlace',
    claim: 'The client secret travels in the header `Authorization` only.',
    reference: 'Spec §4.2, §5',
    why: 'URLs and bodies stand in the logs of proxies and servers.',
    seen: 'Looks for the secret in the query and in the body of every request.',
    fix: 'Never put `client_secret` into a query or a body.',
    async run(trial) {
      await firstExchange(trial);
      const client = clientOf(trial);
      for (const kind of ['code', 'refresh', 'trigger', 'api'] as const) {
        for (const exchange of trial.exchanges(kind)) requireHiddenSecret(exchange, client);
      }
    },
  },
  {
    id: 'answer.afterExchange',
    claim: '201 comes only after the answer with the tokens.',
    reference: 'Spec §3, §4.1',
    why: 'If the exchange then fails, the platform shows an installed plug-in that has no access.',
    seen: 'Holds the token answer for half a second, and compares the times of both answers.',
    fix: 'Await the exchange and the storing, then answer.',
    async run(trial) {
      trial.fault('token.slow', { on: 'code', ms: 500 });
      const { failure, deliveries } = await trial.install();
      await trial.until(() => trial.exchanges('code').some(({ answeredAt }) => answeredAt), 3);
      const [exchange] = trial.exchanges('code');
      const delivery = deliveries.find(({ event }) => event === 'access_token');
      if (!delivery || !isAccepted(delivery)) {
        throw blocked(`The installation failed: ${failure?.message}`, 'reception.form');
      }
      if (!exchange) throw wrong('It came, and no token request did');
      if ((delivery.answeredAt ?? 0) < (exchange.answeredAt ?? Number.POSITIVE_INFINITY)) {
        throw wrong('It came before the token endpoint had answered');
      }
    },
  },
  refusedAnswer('answer.refused', '400 `invalid_grant` at the exchange is not answered 201.', {
    name: 'token.refused',
  }),
  refusedAnswer('answer.unavailable', '503 at the exchange is not answered 201.', {
    name: 'token.unavailable',
  }),
  refusedAnswer('answer.notJson', 'An HTML page instead of tokens is not answered 201.', {
    name: 'token.notJson',
  }),
  refusedAnswer(
    'answer.noAccessToken',
    'A token answer without `access_token` is not answered 201.',
    {
      name: 'token.answer',
      unset: ['access_token'],
    },
  ),
  refusedAnswer('answer.lost', 'A token answer that is lost is not answered 201.', {
    name: 'token.lostAnswer',
  }),
  {
    ...refusedAnswer('answer.wrongTenant', 'Tokens of another tenant are not answered 201.', {
      name: 'token.answer',
      set: { tenant: randomUUID() },
    }),
    reference: 'Spec §2.3',
    severity: 'should',
    why: 'The plug-in would act in one tenant with the access of another.',
    fix: 'Compare `tenant` of the token answer with `tenantId` of the event.',
  },
  {
    id: 'exchange.hangs',
    claim: 'An exchange without an answer ends in time, and is not answered 201.',
    reference: 'Spec §3, §7',
    severity: 'should',
    needs: [...needs, 'slow'],
    why: 'The platform waits for 30 s. Each hanging event keeps a connection and its memory.',
    seen: 'Lets the token request of an installation hang. The event must be answered with a failure within 30 s.',
    fix: 'Limit each of your own requests to 5 to 10 s.',
    async run(trial) {
      const off = trial.fault('token.hang', { on: 'code', times: 'always' });
      const { failure, deliveries } = await trial.install();
      off();
      if (failure === null) throw wrong('The event was answered with success');
      if (off.hits === 0) throw blocked('There was no token request', 'reception.form');
      const delivery = deliveries.find(({ event }) => event === 'access_token');
      if (delivery?.status === null) throw wrong('The event had no answer after 30 s');
    },
  },
  acceptedAnswer(
    {
      id: 'answer.noRefreshToken',
      claim: 'A token answer without `refresh_token` is accepted.',
      why: '`refresh_token` is optional; the plug-in could not be installed.',
      fix: 'Store nothing for it, and use the trigger when the access token has expired.',
    },
    { name: 'token.answer', unset: ['refresh_token'] },
  ),
  acceptedAnswer(
    {
      id: 'answer.bearerCase',
      claim: '`token_type` is compared without case.',
      severity: 'should',
      why: 'RFC 6749 §5.1 says that its case does not count.',
      fix: 'Compare in small letters.',
    },
    { name: 'token.answer', set: { token_type: 'Bearer' } },
  ),
  acceptedAnswer(
    {
      id: 'answer.unknownMembers',
      claim: 'Unknown members of the token answer are ignored.',
      why: 'RFC 6749 §5.1: the client must ignore what it does not know.',
      fix: 'Do not refuse unknown members.',
    },
    { name: 'token.answer', set: { id_token_hint: 'x', limits: { calls: 10 } } },
  ),
]);

type NamedFault = { [Name in FaultName]: { name: Name } & FaultOptions<Name> }[FaultName];

function refusedAnswer(id: string, claim: string, { name, ...options }: NamedFault): CheckRow {
  return {
    id,
    claim,
    reference: 'Spec §3, §7',
    why: 'The platform shows the plug-in as installed, but it has no access.',
    seen: 'Lets each token request of an installation fail in this way; the installation must fail, too.',
    fix: 'Answer 4xx or 5xx with JSON when you have no tokens. The platform then fails the installation, and an administrator can repeat it.',
    async run(trial) {
      const off = trial.fault(name, { ...options, on: 'code', times: 'always' } as never);
      const { failure } = await trial.install();
      await trial.until(() => off.hits > 0, 3);
      off();
      if (failure === null) throw wrong('The event was answered with success');
      if (off.hits === 0) throw blocked('There was no token request', 'reception.form');
    },
  };
}

function acceptedAnswer(
  words: Pick<CheckRow, 'id' | 'claim' | 'severity' | 'why' | 'fix'>,
  { name, ...options }: NamedFault,
): CheckRow {
  return {
    ...words,
    reference: 'Spec §2.3',
    seen: 'Changes the token answer of an installation in this way; the installation must work.',
    async run(trial) {
      const off = trial.fault(name, { ...options, on: 'code', times: 'always' } as never);
      const { failure } = await trial.install();
      await trial.until(() => off.hits > 0, 3);
      off();
      if (off.hits === 0) throw blocked('There was no token request', 'reception.form');
      if (failure) throw wrong(failure.message);
    },
  };
}

/** The first token request of an installation, which may fail. @throws Finding `blocked` if there was none */
async function firstExchange(trial: Trial): Promise<Exchange> {
  const { failure } = await trial.install();
  await trial.until(() => trial.exchanges('code').length > 0, 3);
  const [first] = trial.exchanges('code');
  if (first) return first;
  const reason = failure ? `: ${failure.message}` : '';
  throw blocked(`There was no token request${reason}`, 'reception.form');
}

interface SentClient {
  client_id: string;
  client_secret: string;
}

/** What the newest access_token event says. */
export function clientOf(trial: Trial): SentClient {
  const event = trial.exchanges('event').findLast((each) => each.event === 'access_token');
  return event?.jwt?.claims.client as SentClient;
}

/** @throws Finding with the mistake, if it is a known one */
export function requireBasic(
  authorization: string,
  { client_id: id, client_secret: secret }: SentClient,
): void {
  const [, encoded = ''] = /^Basic +(.*)$/i.exec(authorization) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  const right = Buffer.from(`${id}:${secret}`);
  if (bytes.equals(right) && encoded === right.toString('base64')) return;
  if (encoded === '') throw wrong('There was no Authorization with Basic');
  if (bytes.equals(right)) throw wrong('It is base64url, not base64');
  if (bytes.equals(Buffer.from(`${id}:${secret}`, 'latin1'))) {
    throw wrong('The bytes are Latin-1, not UTF-8');
  }
  if (decode(bytes.toString()) === `${id}:${secret}`) {
    throw wrong('id and secret were form-encoded first');
  }
  throw wrong('It is another text than client_id:client_secret');
}

/** The random part of a client secret. JSON and URLs may escape the other characters. */
export function coreOf(secret: string): string {
  return /[\w-]{43,}/.exec(secret)?.[0] ?? secret;
}

/** @throws Finding if the secret stands in the query or in the body */
export function requireHiddenSecret(
  { url, body }: Exchange,
  { client_secret: secret }: SentClient,
): void {
  const has = (text: string) => text.includes(coreOf(secret));
  if (has(url)) throw wrong('The secret stood in the query');
  if (has(body)) throw wrong('The secret stood in the body');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

const namesOf = (body: string) => [...new URLSearchParams(body).keys()].join(', ');
