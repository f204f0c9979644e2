/** Whether a back end did the good thing after a fault, judged only from the requests that the platform saw. */
import type { ExchangeSummary } from '@dowel/emulator/control-api';

interface Evidence {
  /** The fault's name. */
  name: string;
  /** Of the plug-in, since the play began, oldest first. */
  exchanges: readonly ExchangeSummary[];
  /** Epoch milliseconds. */
  now: number;
}

/** `waiting`: no request has met the fault. `running`: what counts has not happened yet. */
export type Judgement =
  | 'waiting'
  | 'running'
  | 'apart'
  | 'useAgain'
  | (typeof goodJudgements)[number]
  | (typeof badJudgements)[number];

export const goodJudgements = [
  'accepted',
  'refused',
  'healed',
  'oneRefresh',
  'sameAnswer',
  'lives',
  'waited',
  'noRetry',
] as const;

export const badJudgements = [
  'wronglyAccepted',
  'wronglyRefused',
  'unanswered',
  'notHealed',
  'manyTriggers',
  'manyRefreshes',
  'otherAnswer',
  'codeTwice',
  'ended',
  'tooSoon',
  'refreshed',
] as const;

export type Judge = (evidence: Evidence) => Judgement;

const healingMs = 60_000;
const quietMs = 5_000;
/** Of the play of `api.limited`. */
const retryAfterMs = 5_000;

const isOver = ({ status, error }: ExchangeSummary) => status !== null || error !== null;
const isAccessTokenEvent = ({ event }: ExchangeSummary) => event === 'access_token';
const hitsOf = ({ name, exchanges }: Evidence) => exchanges.filter(({ fault }) => fault === name);
const endOf = ({ at, answeredAt }: ExchangeSummary) => answeredAt ?? at;

/** Those that began after the answer to `first`, or after its start if none came. */
const after = (exchanges: readonly ExchangeSummary[], first: ExchangeSummary) =>
  exchanges.filter(({ id, at }) => id > first.id && at >= endOf(first));

const isOfKind = (kind: ExchangeSummary['kind']) => (each: ExchangeSummary) => each.kind === kind;

const expectAnswer =
  (good: 'accepted' | 'refused'): Judge =>
  ({ exchanges }) => {
    const event = exchanges.find(isAccessTokenEvent);
    if (!event) return 'waiting';
    if (!isOver(event)) return 'running';
    if (event.status === null) return 'unanswered';
    if (event.error === null) return good === 'accepted' ? 'accepted' : 'wronglyAccepted';
    return good === 'refused' ? 'refused' : 'wronglyRefused';
  };

/** The access_token event of the play must be accepted. */
export const expectAccepted = expectAnswer('accepted');

/** The access_token event of the play must be refused: its tokens could not be had. */
export const expectRefused = expectAnswer('refused');

/** After a lost answer to a refresh: one trigger, and its event is accepted. */
export const judgeHealing: Judge = (evidence) => {
  const [hit] = hitsOf(evidence);
  if (!hit) return 'waiting';
  const later = after(evidence.exchanges, hit);
  const healing = later.find((each) => isAccessTokenEvent(each) && each.error === null);
  const isHealed = healing !== undefined && isOver(healing);
  const triggers = later.filter(
    (each) => each.kind === 'trigger' && (!isHealed || each.at <= endOf(healing)),
  );
  if (triggers.length > 1) return 'manyTriggers';
  if (isHealed) return triggers.length === 1 ? 'healed' : 'notHealed';
  return evidence.now - hit.at > healingMs ? 'notHealed' : 'running';
};

/** Two calls meet 401 together: one refresh, and both calls succeed. */
export const judgeRace: Judge = (evidence) => {
  const [first, second] = hitsOf(evidence);
  if (!first) return 'waiting';
  if (!second || !isOver(second)) return 'running';
  if (second.at > endOf(first)) return 'apart';
  const later = after(evidence.exchanges, first);
  if (later.filter(isOfKind('refresh')).length > 1) return 'manyRefreshes';
  const succeeded = later.filter(({ kind, status, error }) => kind === 'api' && status && !error);
  if (succeeded.length >= 2) return 'oneRefresh';
  return evidence.now - second.at > healingMs ? 'notHealed' : 'running';
};

/** Each copy of an event gets the same answer, and its code is presented once. */
export const judgeCopies: Judge = (evidence) => {
  const copies = hitsOf(evidence);
  if (copies.length === 0) return 'waiting';
  if (copies.length < 2 || !copies.every(isOver)) return 'running';
  if (evidence.exchanges.filter(isOfKind('code')).length > 1) return 'codeTwice';
  return new Set(copies.map(({ status }) => status)).size === 1 ? 'sameAnswer' : 'otherAnswer';
};

/** After an uninstall that is older than the newest install, the plug-in calls with the tokens of the new life. */
export const judgeLateUninstall: Judge = (evidence) => {
  const [hit] = hitsOf(evidence);
  if (!hit) return 'waiting';
  if (!isOver(hit)) return 'running';
  const later = after(evidence.exchanges, hit);
  // A call decides; a back end that has dropped its tokens asks for others first.
  const first = later.find(({ kind, status }) => kind === 'trigger' || (kind === 'api' && status));
  if (!first) return 'useAgain';
  return first.kind === 'api' && first.error === null ? 'lives' : 'ended';
};

/** No call before the time that Retry-After named. */
export const judgeWaiting: Judge = (evidence) => {
  const [hit] = hitsOf(evidence);
  if (!hit) return 'waiting';
  const until = endOf(hit) + retryAfterMs;
  const calls = after(evidence.exchanges, hit).filter(isOfKind('api'));
  if (calls.some(({ at }) => at < until)) return 'tooSoon';
  return evidence.now < until ? 'running' : 'waited';
};

/** A call that was refused for good is not repeated, and no token is refreshed for it. */
export const judgeOneCall: Judge = (evidence) => {
  const [hit] = hitsOf(evidence);
  if (!hit) return 'waiting';
  const soon = after(evidence.exchanges, hit).filter(({ at }) => at < endOf(hit) + quietMs);
  if (soon.some(isOfKind('refresh'))) return 'refreshed';
  const isRepeated = soon.some(({ method, url }) => method === hit.method && url === hit.url);
  if (isRepeated && hit.method !== 'GET') return 'tooSoon';
  return evidence.now < endOf(hit) + quietMs ? 'running' : 'noRetry';
};
