import type { ExchangeSummary } from '@dowel/emulator/control-api';
import { describe, expect, it } from 'vitest';
import {
  expectAccepted,
  expectRefused,
  type Judge,
  judgeCopies,
  judgeHealing,
  judgeLateUninstall,
  judgeOneCall,
  judgeRace,
  judgeWaiting,
} from './judges.ts';

type Request = Partial<ExchangeSummary> & Pick<ExchangeSummary, 'kind' | 'at'>;

const name = 'fault';
const failed = { code: 'X', message: '' };

/** Each is answered 10 ms later, if nothing else is said. */
function judge(judgeIt: Judge, requests: readonly Request[], now = 1_000) {
  const exchanges = requests.map(
    (request, index): ExchangeSummary => ({
      id: index + 1,
      answeredAt: request.at + 10,
      direction: request.kind === 'event' ? 'out' : 'in',
      tenantId: 't1',
      pluginId: 'p1',
      event: request.kind === 'event' ? 'access_token' : null,
      method: 'POST',
      url: 'http://localhost',
      status: 201,
      error: null,
      fault: null,
      ...request,
    }),
  );
  return judgeIt({ name, exchanges, now });
}

const call = (at: number, more: Partial<ExchangeSummary> = {}): Request => ({
  kind: 'api',
  at,
  ...more,
});
const unauthorized = (at: number, more: Partial<ExchangeSummary> = {}) =>
  call(at, { status: 401, error: failed, fault: name, answeredAt: 50, ...more });
const refresh = (at: number): Request => ({ kind: 'refresh', at, status: 200 });
const trigger = (at: number): Request => ({ kind: 'trigger', at, status: 202 });
const event = (at: number, more: Partial<ExchangeSummary> = {}): Request => ({
  kind: 'event',
  at,
  ...more,
});
const code = (at: number): Request => ({ kind: 'code', at, status: 200 });
const lost: Request = { ...refresh(10), status: null, answeredAt: null, fault: name };
const pending = { status: null, answeredAt: null };
const copy = (at: number, more: Partial<ExchangeSummary> = {}) =>
  event(at, { fault: name, ...more });
const late = event(10, { event: 'uninstall', fault: name });
const refusedCall = call(10, { status: 429, error: failed, fault: name });

describe('a lost answer to a refresh', () => {
  it.each([
    ['nothing', [], 'waiting'],
    ['the fault', [lost], 'running'],
    ['one trigger and its event', [lost, trigger(20), event(30)], 'healed'],
    ['a trigger after the event', [lost, trigger(20), event(30), trigger(90)], 'healed'],
    ['an event that is not answered yet', [lost, trigger(20), event(30, pending)], 'running'],
    ['an event that is refused', [lost, trigger(20), event(30, { error: failed })], 'running'],
    ['two triggers', [lost, trigger(20), trigger(25), event(30)], 'manyTriggers'],
    ['an event that nobody asked for', [lost, event(30)], 'notHealed'],
  ] as [string, Request[], string][])('%s', (_name, requests, judgement) => {
    expect(judge(judgeHealing, requests)).toBe(judgement);
  });

  it('is not healed after a minute without a trigger', () => {
    expect(judge(judgeHealing, [lost], 60_011)).toBe('notHealed');
  });
});

describe('two calls that meet 401 together', () => {
  it.each([
    ['one of them', [unauthorized(10)], 'running'],
    [
      'one refresh',
      [unauthorized(10), unauthorized(20), refresh(60), call(70), call(71)],
      'oneRefresh',
    ],
    [
      'one call that succeeds',
      [unauthorized(10), unauthorized(20), refresh(60), call(70)],
      'running',
    ],
    [
      'two refreshes',
      [unauthorized(10), unauthorized(20), refresh(60), refresh(61)],
      'manyRefreshes',
    ],
    ['one after the other', [unauthorized(10), unauthorized(60, { answeredAt: 70 })], 'apart'],
  ] as [string, Request[], string][])('%s', (_name, requests, judgement) => {
    expect(judge(judgeRace, requests)).toBe(judgement);
  });
});

describe('an event that comes twice', () => {
  it.each([
    ['the first one', [copy(10)], 'running'],
    ['the same answer', [copy(10), code(11), copy(30)], 'sameAnswer'],
    [
      'another answer',
      [copy(10), code(11), copy(30, { status: 400, error: failed })],
      'otherAnswer',
    ],
    ['a code for each', [copy(10), code(11), copy(30), code(31)], 'codeTwice'],
  ] as [string, Request[], string][])('%s', (_name, requests, judgement) => {
    expect(judge(judgeCopies, requests)).toBe(judgement);
  });
});

describe('a late uninstall', () => {
  it.each([
    ['no call', [late], 'useAgain'],
    ['a call with the new tokens', [late, call(30)], 'lives'],
    ['a call before it', [call(1), late], 'useAgain'],
    ['a call that is refused', [late, call(30, { status: 401, error: failed })], 'ended'],
    ['a trigger', [late, trigger(30), call(40)], 'ended'],
  ] as [string, Request[], string][])('%s', (_name, requests, judgement) => {
    expect(judge(judgeLateUninstall, requests)).toBe(judgement);
  });
});

describe('a call that is answered 429', () => {
  it.each([
    ['no call yet', [refusedCall], 1_000, 'running'],
    ['no call in time', [refusedCall], 5_020, 'waited'],
    ['a call after the time', [refusedCall, call(5_020)], 5_030, 'waited'],
    ['a call before', [refusedCall, call(5_019)], 5_030, 'tooSoon'],
  ] as [string, Request[], number, string][])('%s', (_name, requests, now, judgement) => {
    expect(judge(judgeWaiting, requests, now)).toBe(judgement);
  });
});

describe('a call that is refused for good', () => {
  it.each([
    ['nothing', [refusedCall], 5_020, 'noRetry'],
    ['another call', [refusedCall, call(30, { url: 'http://localhost/other' })], 5_020, 'noRetry'],
    ['the same POST', [refusedCall, call(30)], 5_020, 'tooSoon'],
    ['a refresh', [refusedCall, refresh(30)], 5_020, 'refreshed'],
  ] as [string, Request[], number, string][])('%s', (_name, requests, now, judgement) => {
    expect(judge(judgeOneCall, requests, now)).toBe(judgement);
  });
});

describe('the event of the play', () => {
  it.each([
    [expectAccepted, {}, 'accepted'],
    [expectAccepted, { status: 400, error: failed }, 'wronglyRefused'],
    [expectRefused, { status: 400, error: failed }, 'refused'],
    [expectRefused, {}, 'wronglyAccepted'],
    [expectRefused, { status: null, error: failed }, 'unanswered'],
    [expectRefused, pending, 'running'],
  ] as [Judge, Partial<ExchangeSummary>, string][])('%#', (judgeIt, answer, judgement) => {
    expect(judge(judgeIt, [event(10, answer)])).toBe(judgement);
    expect(judge(judgeIt, [])).toBe('waiting');
  });
});
