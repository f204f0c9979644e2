/** Alerts in the dashboard's API, and the actions of operators on them. */
import { randomUUID } from 'node:crypto';
import {
  alertsSchema,
  alertTestResultSchema,
  auditListSchema,
  type OperatorRole,
} from '@dowel/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultAlertSettings } from '../alerts/alert-settings.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../alerts/testing/alert-receivers.ts';
import { hashToken } from '../sessions/opaque-token.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;
let webhook: WebhookReceiver;

beforeEach(async () => {
  webhook = await startWebhookReceiver();
  const alerts = { ...defaultAlertSettings, webhook: webhook.settings };
  world = await startWorld({ app: { alerts } });
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await webhook[Symbol.asyncDispose]();
});

/** A session of this role, as a sign-in would open it. */
async function signInAs(role: OperatorRole): Promise<string> {
  const token = randomUUID();
  const ahead = Date.now() + 60 * 60 * 1000;
  await world.store.sessions.createAdminSession(hashToken(token), {
    id: randomUUID(),
    name: `${role}.desk`,
    role,
    method: 'code',
    identity: { method: 'code', issuer: null, subject: `${role}.desk` },
    accountRevision: null,
    createdAt: Date.now(),
    expiresAt: ahead,
    idleAt: ahead,
  });
  return `dowel_admin=${token}`;
}

async function read(cookie: string) {
  const response = await fetch(`${world.url}/admin/api/alerts`, { headers: { cookie } });
  return alertsSchema.parse(await response.json());
}

const post = (path: string, body: unknown, cookie: string) =>
  world.post(`/admin/api/alerts${path}`, body, { cookie, 'x-dowel-csrf': '1' });

async function readAudit(cookie: string) {
  const response = await fetch(`${world.url}/admin/api/audit`, { headers: { cookie } });
  return auditListSchema.parse(await response.json()).entries;
}

const reason = 'They migrate';
const silence = { rule: 'broken_for', hours: 4, reason };

test('an operator silences a rule and ends the silence, with two rows in the audit', async () => {
  const cookie = await signInAs('operator');
  expect((await post('/silences', silence, cookie)).status).toBe(204);

  const { silences, now } = await read(cookie);
  expect(silences).toMatchObject([
    { rule: 'broken_for', by: 'operator.desk', reason: silence.reason },
  ]);
  expect(Math.round(((silences[0]?.until ?? 0) - now) / 3_600_000)).toBe(4);
  const { hours: _, ...ended } = silence;
  expect((await post('/silences/end', ended, cookie)).status).toBe(204);
  expect((await post('/silences/end', ended, cookie)).status).toBe(204);

  expect((await read(cookie)).silences).toEqual([]);
  expect(await readAudit(cookie)).toMatchObject([
    { action: 'end-silence', result: 'unchanged' },
    { action: 'end-silence', result: 'done', target: 'broken_for' },
    {
      action: 'silence-alert',
      result: 'done',
      detail: 'Silenced for 4 h.',
      meaning: { kind: 'silenced', hours: 4 },
      who: 'operator.desk',
    },
  ]);
});

test('a silence names a key only where each key has its alert', async () => {
  const cookie = await signInAs('operator');
  const ofKey = { ...silence, rule: 'key_unreadable' };

  const answers = [
    await post('/silences', { ...silence, subject: 'k1' }, cookie),
    await post('/silences', ofKey, cookie),
    await post('/silences', { ...ofKey, subject: 'k1' }, cookie),
  ];

  expect(answers.map(({ status }) => status)).toEqual([400, 400, 204]);
  expect(await answers[1]?.json()).toMatchObject({
    message: expect.stringContaining('the id of a key for the rule key_unreadable'),
  });
});

test('a test is sent now, and its answer is shown and in the audit', async () => {
  const cookie = await signInAs('operator');
  webhook.answers.push({ status: 503 });

  const failed = await post('/channels/webhook/test', { reason }, cookie);
  const sent = await post('/channels/webhook/test', { reason }, cookie);

  expect(alertTestResultSchema.parse(await failed.json())).toMatchObject({
    isDelivered: false,
    message: 'The receiver answered 503.',
    answer: { kind: 'answered', status: 503 },
  });
  expect(alertTestResultSchema.parse(await sent.json()).isDelivered).toBe(true);
  expect(webhook.received).toMatchObject([
    { isSigned: true, message: { type: 'alert.test' } },
    { isSigned: true },
  ]);
  expect(await readAudit(cookie)).toMatchObject([
    { action: 'test-alerts', target: 'webhook', reason, result: 'done' },
    { action: 'test-alerts', target: 'webhook', reason, result: 'failed' },
  ]);
  const { channels } = await read(cookie);
  expect(channels[0]).toMatchObject({
    target: webhook.origin,
    last: { kind: 'test', state: 'delivered' },
  });
  expect((await post('/channels/webhook/test', {}, cookie)).status).toBe(400);
  expect((await post('/channels/mail/test', { reason }, cookie)).status).toBe(404);
  expect((await post('/channels/pigeon/test', { reason }, cookie)).status).toBe(404);
});

test('F21: a viewer neither silences nor tests, and the audit has the attempts', async () => {
  const cookie = await signInAs('viewer');
  const { hours: _, ...ended } = silence;

  const answers = [
    await post('/silences', silence, cookie),
    await post('/silences/end', ended, cookie),
    await post('/channels/webhook/test', { reason }, cookie),
  ];

  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect(webhook.received).toEqual([]);
  expect((await read(cookie)).silences).toEqual([]);
  expect((await readAudit(cookie)).map(({ action, result }) => [action, result])).toEqual([
    ['test-alerts', 'refused'],
    ['end-silence', 'refused'],
    ['silence-alert', 'refused'],
  ]);
});

test('F26: a viewer does not see where alerts go, and nobody sees the path or the secret', async () => {
  webhook.answers.push({ status: 500 });
  const operator = await signInAs('operator');
  await post('/channels/webhook/test', { reason }, operator);

  const [asViewer] = (await read(await signInAs('viewer'))).channels;
  const [asOperator] = (await read(operator)).channels;

  expect(asViewer).toMatchObject({
    target: '',
    last: { state: 'failed', lastError: null, lastAnswer: null },
  });
  expect(asOperator).toMatchObject({
    target: webhook.origin,
    last: {
      lastError: 'The receiver answered 500.',
      lastAnswer: { kind: 'answered', status: 500 },
    },
  });
  expect(JSON.stringify(asOperator)).not.toContain('path-of-the-receiver');
});

test.each([
  { ...silence, hours: 5 },
  { ...silence, reason: '' },
  { ...silence, rule: 'other' },
])('the silence %o is refused', async (request) => {
  expect((await post('/silences', request, await signInAs('operator'))).status).toBe(400);
});
