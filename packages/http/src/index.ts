/** HTTP in a safe form: outgoing requests, the target of a request, bounded bodies, event streams, time-outs, a calm stop. */
export { DerivedResponse, WholeResponse } from './derived-response.ts';
export { createDrain, type DrainTimes, waitForQuiet } from './drain-server.ts';
export { createEventWriter, type EventWriter } from './event-writer.ts';
export { explainFetchFailure } from './explain-fetch-failure.ts';
export { joinSignals } from './follow-signals.ts';
export {
  AddressNotAllowedError,
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedInit,
} from './guarded-fetch.ts';
export { keepWhileOpen } from './keep-while-open.ts';
export { liveHeaders } from './live-headers.ts';
export { BodyTooLargeError, boundBody, boundResponse, readBounded } from './read-bounded.ts';
export { checkTarget, type TargetProblem } from './request-target.ts';
export { parseRetryAfter } from './retry-after.ts';
export { endInTime, pause, systemTimer, type Timer, withTimeout } from './timer.ts';
export { RequestNotSentError } from './unsent-request.ts';
