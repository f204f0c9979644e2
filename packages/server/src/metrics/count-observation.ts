import type { RefusedEvent } from '../events/refusal-log.ts';
import type { Observation } from '../observation.ts';
import type { Metrics } from './create-metrics.ts';
import { hookOutcome, reasonLabel } from './label-values.ts';

/** Counts what an observer is told. */
export function countObserved(metrics: Metrics, seen: Observation): void {
  switch (seen.type) {
    case 'event.answered':
    case 'event.refused':
      countEvent(metrics, seen);
      break;
    case 'token.exchanged':
      countTokenRequest(metrics, 'exchange', null);
      break;
    case 'token.refreshed':
    case 'token.unsaved':
      countTokenRequest(metrics, 'refresh', null);
      break;
    case 'token.refresh_failed':
      countTokenRequest(metrics, 'refresh', seen.reason);
      break;
    case 'token.triggered':
      countTokenRequest(metrics, 'trigger', seen.reason);
      break;
    case 'session.opened':
      metrics.sessions.inc();
      break;
    case 'operation.ended':
      if (seen.code === 'RATE_LIMITED') metrics.refusedCalls.inc({ code: seen.code });
      break;
    case 'hook.delivered':
    case 'hook.failed':
    case 'hook.parked':
    case 'hook.superseded':
      metrics.hooks.inc({ event: seen.event, outcome: hookOutcome(seen.type) });
  }
}

type EventObservation = Extract<Observation, { type: 'event.answered' | 'event.refused' }>;

function countEvent(
  { events, eventSeconds }: Metrics,
  { type, event, reason, durationMs }: EventObservation,
): void {
  const outcome = type === 'event.answered' ? 'ok' : 'failed';
  events.inc({ event, outcome, reason: reasonLabel(reason) });
  eventSeconds.observe({ event }, durationMs / 1_000);
}

function countTokenRequest(
  { tokenRequests }: Metrics,
  kind: 'exchange' | 'refresh' | 'trigger',
  reason: string | null,
): void {
  const outcome = reason === null ? 'ok' : 'failed';
  tokenRequests.inc({ kind, outcome, reason: reasonLabel(reason) });
}

/** Counts a refused init JWT. A refused event is counted as an observation. */
export function countRefused(
  { refusedSessions }: Metrics,
  { event, reason }: Pick<RefusedEvent, 'event' | 'reason'>,
): void {
  if (event === 'session') refusedSessions.inc({ reason: reasonLabel(reason) });
}
