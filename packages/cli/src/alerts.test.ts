/** `dowel alerts …` on a real database, with a real receiver. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
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

test('a rule is silenced before its alert opens, listed, and sent again', async () => {
  await using _server = await startBackEnd(folder);
  const silence = ['alerts', 'silence', 'broken_for', '--hours', '24', ...why];
  expect(await dowel(silence)).toEqual({
    code: 0,
    out: 'Nothing is sent about broken_for for 24 h.\n',
    err: '',
  });
  expect((await dowel(['alerts', 'list'])).out).toMatch(
    /^No alert is open\.\nsilenced {2}broken_for {2}until \S+Z {2}\S+ {2}a planned migration\nwebhook {2}not set up/,
  );
  const end = ['alerts', 'end-silence', 'broken_for', ...why];
  expect((await dowel(end)).out).toBe('Messages about broken_for are sent.\n');
  expect((await dowel(end)).out).toBe('Messages about broken_for are sent.\n');

  expect((await store.alerts.report()).silences).toEqual([]);
  const action = { who: userInfo().username, way: 'cli', target: 'broken_for' };
  expect((await store.audit.list({ limit: 3 })).entries).toMatchObject([
    { ...action, action: 'end-silence', result: 'unchanged' },
    { ...action, action: 'end-silence', result: 'done' },
    { ...action, action: 'silence-alert', result: 'done', reason: 'a planned migration' },
  ]);
});

test('the rule of keys is silenced for one key', async () => {
  await using _server = await startBackEnd(folder);
  const silence = ['alerts', 'silence', 'key_unreadable', '--hours', '1', ...why];

  expect(await dowel(silence)).toMatchObject({
    code: 1,
    err: expect.stringContaining('the id of a key'),
  });
  expect(await dowel([...silence, '--key', 'k1'])).toMatchObject({ code: 0 });

  expect((await store.alerts.report()).silences).toMatchObject([{ subject: 'k1' }]);
});

test.each([
  ['an unknown rule', ['silence', 'broken', '--hours', '1', ...why], 'RULE: Expected one of'],
  ['no hours', ['silence', 'broken_for', ...why], '--hours: Expected one of 1, 4, 24, 168'],
  ['other hours', ['silence', 'broken_for', '--hours', '2', ...why], '--hours: Expected one of'],
  ['no reason', ['silence', 'broken_for', '--hours', '1'], '--reason: '],
  [
    'a key for another rule',
    ['silence', 'broken_for', '--hours', '1', '--key', 'k1', ...why],
    '--key: must be the id of a key',
  ],
  ['an unknown channel', ['test', 'pigeon'], 'CHANNEL must be webhook or mail'],
  ['a test without a reason', ['test', 'mail'], '--reason: '],
  ['a channel that is not set up', ['test', 'mail', ...why], 'DOWEL_ALERT_SMTP_URL'],
])('%s is refused with what is wrong', async (_case, args, message) => {
  await using _server = await startBackEnd(folder);
  const { code, out, err } = await dowel(['alerts', ...args]);

  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(message);
  expect((await store.alerts.report()).silences).toEqual([]);
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
  expect(listed.out).toContain(`webhook  ${receiver.origin}  test failed `);
  expect(listed.out).not.toContain(new URL(url.reveal()).pathname);
  const { entries } = await store.audit.list({ action: 'test-alerts', limit: 9 });
  expect(entries.map(({ reason }) => reason)).toEqual([why[1], why[1]]);
});
