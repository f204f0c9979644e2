/** Alerts in the dashboard's API, and the actions of operators on them. */
import { randomUUID } from 'node:crypto';
import {
  alertsSchema,
  alertTestResultSchema,
  auditListSchema,
  type OperatorRole,
} from '@dowel/admin-api';
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
    address: null,
    browser: null,
    system: null,
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
  expect((await post('/channels/webhook/test', {}, cookie)).status).toBe(400);
  expect((await post('/channels/mail/test', { reason }, cookie)).status).toBe(404);
  expect((await post('/channels/pigeon/test', { reason }, cookie)).status).toBe(404);
});

test('F21: a viewer sends no test, and the audit has the attempt', async () => {
  const cookie = await signInAs('viewer');

  expect((await post('/channels/webhook/test', { reason }, cookie)).status).toBe(403);

  expect(webhook.received).toEqual([]);
  expect(await readAudit(cookie)).toMatchObject([{ action: 'test-alerts', result: 'refused' }]);
});

test('F26: a viewer does not see where alerts go, and nobody sees the path or the secret', async () => {
  const operator = await signInAs('operator');
  await world.store.transaction(async ({ alerts }) => {
    const message = { id: 'msg', kind: 'opened', alertId: 'alert', body: '{}' } as const;
    await alerts.add([{ ...message, channel: 'webhook' }]);
    const claimed = await alerts.claim('webhook', 60_000);
    const answer = { kind: 'answered', status: 500, code: null } as const;
    const error = 'The receiver answered 500.';
    if (claimed) await alerts.settle(claimed, { state: 'failed', error, answer });
  });

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
