import { describe, expect, it } from 'vitest';
import type { ExchangeSummary } from './exchange-schema.ts';
import { type FaultName, faultDescriptions } from './fault-schema.ts';
import { goodJudgements, plays } from './plays.ts';

type More = Partial<ExchangeSummary>;
/** `hits`: it meets the fault that is played. */
type Request = More & Pick<ExchangeSummary, 'kind' | 'at'> & { hits?: true };

/** Each is answered 10 ms later, if nothing else is said. */
function judge(name: FaultName, requests: readonly Request[], now = 1_000) {
  const exchanges = requests.map(
    ({ hits, ...request }, index): ExchangeSummary => ({
      id: index + 1,
      answeredAt: request.at + 10,
      direction: request.kind === 'event' ? 'out' : 'in',
      tenantId: 't1',
      pluginId: 'p1',
      event: request.kind === 'event' ? 'access_token' : null,
      method: 'POST',
      url: 'http://localhost',
      status: request.kind === 'api' || request.kind === 'event' ? 201 : 200,
      error: null,
      fault: hits ? name : null,
      ...request,
    }),
  );
  return plays[name].judge({ name, exchanges, now });
}

const failed = { code: 'REFUSED', message: '' };
const refused = { status: 400, error: failed };
const pending = { status: null, answeredAt: null };
const silent = { ...pending, error: { code: 'NO_RESPONSE', message: '' } };
const page = { status: 500, error: { code: 'INVALID_RESPONSE', message: '' } };
const hits = { hits: true } as const;
const rotated = { fault: 'event.keyRotated' };

const request =
  (kind: Request['kind']) =>
  (at: number, more: More & { hits?: true } = {}) => ({
    kind,
    at,
    ...more,
  });
const [call, event, code] = [request('api'), request('event'), request('code')];
const [refresh, trigger, key] = [request('refresh'), request('trigger'), request('key')];

const unauthorized = (at: number, more: More = {}) =>
  call(at, { status: 401, error: failed, answeredAt: 50, ...hits, ...more });
const both = [unauthorized(10), unauthorized(20)];
const lost = refresh(10, { ...pending, ...hits });
const late = event(10, { event: 'uninstall', ...hits });
const limited = call(10, { status: 429, error: failed, ...hits });

/** An event that is answered after its code. */
const exchanged = (at: number, more: More & { hits?: true } = {}) => [
  event(at, { answeredAt: at + 10, ...more }),
  code(at + 1, { answeredAt: at + 5 }),
];
const refusedCode = code(11, { ...refused, answeredAt: 15, ...hits });

type Row = [what: string, requests: Request[], judgement: string, now?: number];

const rowsByFault: Partial<Record<FaultName, Row[]>> = {
  'token.lostAnswer': [
    ['the fault', [lost], 'running'],
    ['one trigger and its event', [lost, trigger(20), ...exchanged(30)], 'healed'],
    ['a trigger after the event', [lost, trigger(20), ...exchanged(30), trigger(90)], 'healed'],
    ['an event that is not answered yet', [lost, trigger(20), event(30, pending)], 'running'],
    ['an event that is refused', [lost, trigger(20), event(30, refused)], 'running'],
    ['an event whose code is not exchanged', [lost, trigger(20), event(30)], 'withoutTokens'],
    ['two triggers', [lost, trigger(20), trigger(25), ...exchanged(30)], 'manyTriggers'],
    ['an event that nobody asked for', [lost, ...exchanged(30)], 'notHealed'],
    ['no trigger within a minute', [lost], 'notHealed', 60_011],
  ],
  'token.slow': [
    ['tokens before the answer', [event(10), code(11, { answeredAt: 19, ...hits })], 'accepted'],
    ['an answer before the tokens', [event(10), code(11, hits)], 'withoutTokens'],
    ['no exchange', [event(10)], 'withoutTokens'],
    ['an exchange without the fault', exchanged(10), 'waiting'],
    ['a refusal', [event(10, refused), code(11, { answeredAt: 15, ...hits })], 'wronglyRefused'],
  ],
  'token.refused': [
    ['a refusal', [event(10, refused), refusedCode], 'refused'],
    ['a refusal without an exchange', [event(10, refused)], 'waiting'],
    ['an acceptance', [event(10), refusedCode], 'withoutTokens'],
    ['another exchange', [event(10), refusedCode, code(16, { answeredAt: 18 })], 'accepted'],
    ['a page', [event(10, page), refusedCode], 'notJson'],
    ['no answer in time', [event(10, silent), refusedCode], 'unanswered'],
    ['no answer yet', [event(10, pending), refusedCode], 'running'],
  ],
  'token.notJson': [
    ['an acceptance', [event(10), code(11, { answeredAt: 15, ...hits })], 'withoutTokens'],
  ],
  'trigger.silent': [
    ['one trigger', [trigger(10, hits)], 'running'],
    ['one trigger for a while', [trigger(10, hits)], 'oneTrigger', 3_020],
    ['two triggers', [trigger(10, hits), trigger(15)], 'manyTriggers'],
  ],
  'trigger.late': [
    ['one trigger and its event', [trigger(10, hits), ...exchanged(30)], 'healed'],
    ['two triggers', [trigger(10, hits), trigger(25), ...exchanged(30)], 'manyTriggers'],
  ],
  'event.repeated': [
    ['the first one', [event(10, hits)], 'running'],
    ['the same answer', [...exchanged(10, hits), event(30, hits)], 'sameAnswer'],
    ['another answer', [...exchanged(10, hits), event(30, { ...refused, ...hits })], 'otherAnswer'],
    ['a code for each', [...exchanged(10, hits), ...exchanged(30, hits)], 'codeTwice'],
    ['no code', [event(10, hits), event(30, hits)], 'withoutTokens'],
  ],
  'event.late': [
    ['no call', [late], 'useAgain'],
    ['a call with the new tokens', [late, call(30)], 'lives'],
    ['a call before it', [call(1), late], 'useAgain'],
    ['a call that is refused', [late, call(30, { status: 401, error: failed })], 'ended'],
    ['a trigger', [late, trigger(30), call(40)], 'ended'],
  ],
  'event.clock': [
    ['a small difference', exchanged(10, hits), 'running'],
    ['a large one', [...exchanged(10, hits), event(30, { ...refused, ...hits })], 'refused'],
    ['a large one accepted', [...exchanged(10, hits), event(30, hits)], 'wronglyAccepted'],
    ['a small one refused', [event(10, { ...refused, ...hits })], 'wronglyRefused'],
  ],
  'event.reordered': [
    [
      'access_token before install',
      [...exchanged(10), event(30, { event: 'install' })],
      'accepted',
    ],
    ['install before access_token', [event(1, { event: 'install' }), ...exchanged(10)], 'waiting'],
  ],
  'event.afterUninstall': [
    ['a refusal', [event(10, { ...refused, ...hits })], 'refused'],
    ['an acceptance', [event(10, hits)], 'wronglyAccepted'],
  ],
  'event.keyRotated': [
    [
      'the key loaded',
      [...exchanged(10, hits), key(12, { answeredAt: 13, pluginId: null })],
      'accepted',
    ],
    ['no key loaded', exchanged(10, hits), 'wronglyAccepted'],
  ],
  'key.redirect': [
    [
      'a refusal',
      [event(10, { ...refused, ...rotated }), key(11, { status: 302, ...hits })],
      'refused',
    ],
    [
      'a redirect that is followed',
      [
        ...exchanged(10, rotated),
        key(11, { status: 302, answeredAt: 12, ...hits }),
        key(12, { answeredAt: 13, url: 'http://localhost?moved' }),
      ],
      'wronglyAccepted',
    ],
    [
      'another try',
      [
        ...exchanged(10, rotated),
        key(11, { status: 302, answeredAt: 12, ...hits }),
        key(12, { answeredAt: 13 }),
      ],
      'accepted',
    ],
  ],
  'api.unauthorized': [
    ['one of them', [unauthorized(10)], 'running'],
    ['one refresh', [...both, refresh(60), call(70), call(71)], 'oneRefresh'],
    ['no refresh', [...both, call(70), call(71)], 'notRefreshed'],
    ['one call that succeeds', [...both, refresh(60), call(70)], 'running'],
    ['two refreshes', [...both, refresh(60), refresh(61)], 'manyRefreshes'],
    ['one after the other', [unauthorized(10), unauthorized(60, { answeredAt: 70 })], 'apart'],
  ],
  'api.limited': [
    ['no call yet', [limited], 'running'],
    ['no call in time', [limited], 'waited', 5_020],
    ['a call after the time', [limited, call(5_020)], 'waited', 5_030],
    ['a call before', [limited, call(5_019)], 'tooSoon', 5_030],
  ],
  'api.status': [
    ['nothing', [limited], 'noRetry', 5_020],
    ['another call', [limited, call(30, { url: 'http://localhost/other' })], 'noRetry', 5_020],
    ['the same POST', [limited, call(30)], 'tooSoon', 5_020],
    ['a refresh', [limited, refresh(30)], 'refreshed', 5_020],
  ],
  'api.hang': [
    ['no end yet', [call(10, { ...pending, ...hits })], 'running'],
    ['a closed connection', [call(10, { ...silent, ...hits })], 'gaveUp'],
    ['no end', [call(10, { ...pending, ...hits })], 'hangs', 35_011],
  ],
};

describe.each(Object.entries(rowsByFault) as [FaultName, Row[]][])('%s is judged', (name, rows) => {
  it.each(rows)('with %s', (_what, requests, judgement, now) => {
    expect(judge(name, requests, now)).toBe(judgement);
  });
});

const names = faultDescriptions.map(({ name }) => name);

it.each(names)('%s waits without a request', (name) => {
  expect(judge(name, [], 1_000_000)).toBe('waiting');
});

describe.each<[string, Request[]]>([
  ['an event that is accepted', [event(10)]],
  ['an event that is refused', [event(10, refused)]],
  ['an event that is accepted, with a code', exchanged(10)],
  ['a new key and an event that is accepted', [event(10, rotated)]],
  ['a new key and an event without an answer', [event(10, { ...silent, ...rotated })]],
  ['other requests', [refresh(10), trigger(20), call(30), key(40)]],
])('with %s and nothing else', (_what, requests) => {
  it.each(names)('%s is never good', (name) => {
    expect(goodJudgements).not.toContain(judge(name, requests, 1_000_000));
  });
});
