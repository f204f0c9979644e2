/** `dowel alerts …` on a real database, with a real receiver. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@dowel/installation-store';
import { startWebhookReceiver } from '@dowel/server/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callCommand } from './testing/call-command.ts';
import { openNewStore } from './testing/open-new-store.ts';
import { startBackEnd } from './testing/start-back-end.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
  store = await openNewStore(folder);
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function dowel(args: readonly string[]) {
  return callCommand({ args, folder });
}

const why = ['--reason', 'a planned migration'];

test.each([
  ['an unknown channel', ['test', 'pigeon'], 2, 'CHANNEL must be webhook or mail'],
  ['a test without a reason', ['test', 'mail'], 2, '--reason: '],
  ['a channel that is not set up', ['test', 'mail', ...why], 1, 'DOWEL_ALERT_SMTP_URL'],
])('%s is refused with what is wrong', async (_case, args, expected, message) => {
  await using _server = await startBackEnd(folder);
  const { code, out, err } = await dowel(['alerts', ...args]);

  expect({ code, out }).toEqual({ code: expected, out: '' });
  expect(err).toContain(message);
});

test('a test message is sent, and the receiver’s answer is printed and listed', async () => {
  await using receiver = await startWebhookReceiver();
  receiver.answers.push({ status: 204 }, { status: 503 });
  const { url, key } = receiver.settings;
  const settings = {
    DOWEL_ALERT_WEBHOOK_URL: url.reveal(),
    DOWEL_ALERT_WEBHOOK_SECRET: key.reveal(),
    DOWEL_INTERNAL_HOSTS: '127.0.0.1',
  };
  await using _server = await startBackEnd(folder, { environment: settings });

  const sent = await dowel(['alerts', 'test', 'webhook', ...why]);
  const failed = await dowel(['alerts', 'test', 'webhook', ...why]);
  const listed = await dowel(['alerts', 'list']);

  expect(receiver.received.map(({ isSigned }) => isSigned)).toEqual([true, true]);
  expect(sent).toEqual({ code: 0, out: 'The receiver answered 204.\n', err: '' });
  expect(failed).toEqual({ code: 1, out: '', err: 'The receiver answered 503.\n' });
  expect(listed.out).toContain(`webhook  ${receiver.origin}  no message yet  0 waiting`);
  expect(listed.out).not.toContain(new URL(url.reveal()).pathname);
  const { entries } = await store.audit.list({ action: 'test-alerts', limit: 9 });
  expect(entries.map(({ reason }) => reason)).toEqual([why[1], why[1]]);
});
