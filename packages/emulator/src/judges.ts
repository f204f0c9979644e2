/** Whether a back end did the good thing after a fault, judged only from the requests that the platform saw. */
import type { ExchangeSummary } from './exchange-schema.ts';
import type { Evidence, Judge, Judgement } from './judgement.ts';

const healingMs = 60_000;
const quietMs = 5_000;
const triggerQuietMs = 3_000;
const longestCallMs = 35_000;
/** Of the play of `api.limited`. */
export const retryAfterMs = 5_000;

const isOver = ({ status, error }: ExchangeSummary) => status !== null || error !== null;
const isAccessTokenEvent = ({ event }: ExchangeSummary) => event === 'access_token';
const isOfKind = (kind: ExchangeSummary['kind']) => (each: ExchangeSummary) => each.kind === kind;
const isOk = ({ status }: ExchangeSummary) => status === 200;
const hitsOf = ({ name, exchanges }: Evidence) => exchanges.filter(({ fault }) => fault === name);
const endOf = ({ at, answeredAt }: ExchangeSummary) => answeredAt ?? at;

/** Those that began after the answer to `first`, or after its start if none came. */
const after = (exchanges: readonly ExchangeSummary[], first: ExchangeSummary) =>
  exchanges.filter(({ id, at }) => id > first.id && at >= endOf(first));

/** Those of this kind that began with the event or later, and were answered before it was. */
const during = (
  exchanges: readonly ExchangeSummary[],
  event: ExchangeSummary,
  kind: ExchangeSummary['kind'],
) =>
  exchanges.filter(
    (each) =>
      each.kind === kind &&
      each.id > event.id &&
      each.answeredAt !== null &&
      each.answeredAt <= endOf(event),
  );

/** How the back end answered an event: `withTokens` is a 201 after the answer with tokens to an exchange of a code. */
function answerTo(
  event: ExchangeSummary,
  exchanges: readonly ExchangeSummary[],
  givesTokens: (exchange: ExchangeSummary) => boolean = isOk,
) {
  if (!isOver(event)) return 'running';
  if (event.status === null) return 'unanswered';
  if (event.error === null) {
    return during(exchanges, event, 'code').some(givesTokens) ? 'withTokens' : 'withoutTokens';
  }
  return event.error.code === 'INVALID_RESPONSE' ? 'notJson' : 'refused';
}

function expectAnswer(
  answer: ReturnType<typeof answerTo>,
  expected: 'withTokens' | 'refused',
): Judgement {
  if (answer === 'withTokens') return expected === answer ? 'accepted' : 'wronglyAccepted';
  if (answer === 'refused') return expected === answer ? 'refused' : 'wronglyRefused';
  return answer;
}

/** `waiting`, as long as no request has met the fault. */
const onHit =
  (judge: (hit: ExchangeSummary, evidence: Evidence) => Judgement): Judge =>
  (evidence) => {
    const [hit] = hitsOf(evidence);
    return hit ? judge(hit, evidence) : 'waiting';
  };

/** The fault of an event must not keep it from being accepted. */
export const judgeEvent = onHit((event, { exchanges }) =>
  expectAnswer(answerTo(event, exchanges), 'withTokens'),
);

/** On an installation, an access_token event that comes before install must be accepted. */
export const judgeReordered: Judge = ({ exchanges }) => {
  const [first] = exchanges.filter((each) => each.event === 'install' || isAccessTokenEvent(each));
  if (!first || !isAccessTokenEvent(first)) return 'waiting';
  const answer = expectAnswer(answerTo(first, exchanges), 'withTokens');
  const isReordered = exchanges.some((each) => each.event === 'install');
  return answer === 'accepted' && !isReordered ? 'running' : answer;
};

/** An event that belongs to an ended life must be refused. */
export const judgeRefusal = onHit((event, { exchanges }) => {
  const answer = answerTo(event, exchanges);
  return answer === 'withoutTokens' ? 'wronglyAccepted' : expectAnswer(answer, 'refused');
});

/** The first event has a clock that differs a little, and must be accepted; the second one must be refused. */
export const judgeClock: Judge = (evidence) => {
  const [near, far] = hitsOf(evidence);
  if (!near) return 'waiting';
  const answer = expectAnswer(answerTo(near, evidence.exchanges), 'withTokens');
  if (answer !== 'accepted') return answer;
  return far ? judgeRefusal({ ...evidence, exchanges: [far] }) : 'running';
};

/** The answer to a code has tokens: the event must be accepted when it has come. */
export const expectTokens: Judge = (evidence) => judgeCode(evidence, 'withTokens');

/** The answer to a code has no tokens: the event must be refused, unless another exchange of its code succeeds. */
export const expectNoTokens: Judge = (evidence) => judgeCode(evidence, 'refused');

function judgeCode(evidence: Evidence, expected: 'withTokens' | 'refused'): Judgement {
  const { exchanges } = evidence;
  const event = exchanges.find(isAccessTokenEvent);
  if (!event) return 'waiting';
  const answer = answerTo(
    event,
    exchanges,
    (each) => isOk(each) && (expected === 'withTokens' || each.fault === null),
  );
  if (answer === 'running' || answer === 'withoutTokens') return answer;
  if (!hitsOf(evidence).some(isOfKind('code'))) return 'waiting';
  return answer === 'withTokens' ? 'accepted' : expectAnswer(answer, expected);
}

/** A new key has signed the event: a back end that has loaded it may accept the event. */
export const judgeNewKey: Judge = (evidence) => judgeKey(evidence, 'withTokens');

/** The key cannot be loaded: the event must be refused, unless another try succeeds. */
export const judgeMissingKey: Judge = (evidence) => judgeKey(evidence, 'refused');

function judgeKey(evidence: Evidence, expected: 'withTokens' | 'refused'): Judgement {
  const { exchanges } = evidence;
  const event = exchanges.find(({ fault }) => fault === 'event.keyRotated');
  if (!event) return 'waiting';
  const answer = answerTo(event, exchanges);
  if (answer === 'running') return answer;
  const [hit] = hitsOf(evidence);
  const loads = during(exchanges, event, 'key').filter(isOk);
  const isLoaded = loads.some(({ url }) => hit?.kind !== 'key' || url === hit.url);
  const isAccepted = answer === 'withTokens' || answer === 'withoutTokens';
  if (isAccepted && !isLoaded) return 'wronglyAccepted';
  if (!hit) return 'waiting';
  return answer === 'withTokens' ? 'accepted' : expectAnswer(answer, expected);
}

/** After a lost answer to a refresh, or a trigger whose event is late: one trigger, and its event is accepted. */
export const judgeHealing = onHit((hit, { exchanges, now }) => {
  const later = after(exchanges, hit);
  const healing = later.find((each) => isAccessTokenEvent(each) && each.error === null);
  const isHealed = healing !== undefined && isOver(healing);
  const triggers = [hit, ...later].filter(
    (each) => each.kind === 'trigger' && (!isHealed || each.at <= endOf(healing)),
  );
  if (triggers.length > 1) return 'manyTriggers';
  if (isHealed) {
    if (answerTo(healing, exchanges) !== 'withTokens') return 'withoutTokens';
    return triggers.length === 1 ? 'healed' : 'notHealed';
  }
  return now - hit.at > healingMs ? 'notHealed' : 'running';
});

/** A trigger that no event follows is not repeated soon. */
export const judgeOneTrigger = onHit((hit, { exchanges, now }) => {
  const until = endOf(hit) + triggerQuietMs;
  const others = exchanges.filter((each) => each.kind === 'trigger' && each.id > hit.id);
  if (others.some(({ at }) => at < until)) return 'manyTriggers';
  return now < until ? 'running' : 'oneTrigger';
});

/** Two calls meet 401 together: one refresh, and both calls succeed. */
export const judgeRace: Judge = (evidence) => {
  const [first, second] = hitsOf(evidence);
  if (!first) return 'waiting';
  if (!second || !isOver(second)) return 'running';
  if (second.at > endOf(first)) return 'apart';
  const later = after(evidence.exchanges, first);
  const refreshes = later.filter(isOfKind('refresh'));
  if (refreshes.length > 1) return 'manyRefreshes';
  const succeeded = later.filter(({ kind, status, error }) => kind === 'api' && status && !error);
  if (succeeded.length >= 2) return refreshes.length === 1 ? 'oneRefresh' : 'notRefreshed';
  return evidence.now - second.at > healingMs ? 'notHealed' : 'running';
};

/** Each copy of an event gets the same answer, and its code is presented once. */
export const judgeCopies: Judge = (evidence) => {
  const [first, ...others] = hitsOf(evidence);
  if (!first) return 'waiting';
  if (others.length === 0 || ![first, ...others].every(isOver)) return 'running';
  if (evidence.exchanges.filter(isOfKind('code')).length > 1) return 'codeTwice';
  const answer = expectAnswer(answerTo(first, evidence.exchanges), 'withTokens');
  if (answer !== 'accepted') return answer;
  return others.every(({ status }) => status === first.status) ? 'sameAnswer' : 'otherAnswer';
};

/** After an uninstall that is older than the newest install, the plug-in calls with the tokens of the new life. */
export const judgeLateUninstall = onHit((hit, { exchanges }) => {
  if (!isOver(hit)) return 'running';
  const later = after(exchanges, hit);
  // A call decides; a back end that has dropped its tokens asks for others first.
  const first = later.find(({ kind, status }) => kind === 'trigger' || (kind === 'api' && status));
  if (!first) return 'useAgain';
  return first.kind === 'api' && first.error === null ? 'lives' : 'ended';
});

/** No call before the time that Retry-After named. */
export const judgeWaiting = onHit((hit, { exchanges, now }) => {
  const until = endOf(hit) + retryAfterMs;
  const calls = after(exchanges, hit).filter(isOfKind('api'));
  if (calls.some(({ at }) => at < until)) return 'tooSoon';
  return now < until ? 'running' : 'waited';
});

/** A call that was refused for good is not repeated, and no token is refreshed for it. */
export const judgeOneCall = onHit((hit, { exchanges, now }) => {
  const soon = after(exchanges, hit).filter(({ at }) => at < endOf(hit) + quietMs);
  if (soon.some(isOfKind('refresh'))) return 'refreshed';
  const isRepeated = soon.some(({ method, url }) => method === hit.method && url === hit.url);
  if (isRepeated && hit.method !== 'GET') return 'tooSoon';
  return now < endOf(hit) + quietMs ? 'running' : 'noRetry';
});

/** A call without an answer ends: the back end closes its connection. */
export const judgeHangingCall = onHit((hit, { now }) => {
  if (isOver(hit)) return 'gaveUp';
  return now - hit.at > longestCallMs ? 'hangs' : 'running';
});
