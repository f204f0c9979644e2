/**
 * What one process counts and measures for Prometheus, with the names of docs/operations.md, "Metrics". Labels come from
 * closed lists: never a tenant, a URL or a host.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type CallStatus, hookEventNames, hookOutcomeNames } from './label-values.ts';
import { type MeasuredState, measureState } from './measure-state.ts';

type LoopDelay = ReturnType<typeof monitorEventLoopDelay>;

export interface Metrics {
  registry: Registry;
  events: Counter<'event' | 'outcome' | 'reason'>;
  eventSeconds: Histogram<'event'>;
  tokenRequests: Counter<'kind' | 'outcome' | 'reason'>;
  sessions: Counter;
  refusedSessions: Counter<'reason'>;
  hooks: Counter<'event' | 'outcome'>;
  /** Numbers, because a counter of the library costs too much for each call. */
  calls: Record<CallStatus, number>;
  callSeconds: Histogram;
  refusedCalls: Counter<'code'>;
  /** What is read at each scrape. */
  state: MeasuredState;
  loopDelay: LoopDelay;
}

const eventBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const callBuckets = [0.005, ...eventBuckets];

/** The event loop is looked at so often. What Node measures contains this time. */
const resolutionMs = 20;

/** Begins to measure the event loop, until `loopDelay` is disabled. */
export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const loopDelay = monitorEventLoopDelay({ resolution: resolutionMs });
  loopDelay.enable();
  const state: MeasuredState = { fleet: undefined, sources: undefined };
  const calls: Metrics['calls'] = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, none: 0 };
  new Gauge({
    name: 'dowel_build_info',
    help: '1, with the version of Dowel.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  measureCalls(registry, calls);
  measureLoop(registry, loopDelay);
  measureState(registry, state);
  return { registry, calls, state, loopDelay, ...createCounters(registers) };
}

function createCounters(registers: Registry[]) {
  const hooks = new Counter({
    name: 'dowel_hooks_total',
    help: 'Attempts to call a hook of the plug-in.',
    labelNames: ['event', 'outcome'],
    registers,
  });
  // An increase from nothing would be no increase.
  for (const event of hookEventNames) {
    for (const outcome of hookOutcomeNames) hooks.inc({ event, outcome }, 0);
  }
  return {
    hooks,
    events: new Counter({
      name: 'dowel_events_total',
      help: 'Events of platforms that were answered.',
      labelNames: ['event', 'outcome', 'reason'],
      registers,
    }),
    eventSeconds: new Histogram({
      name: 'dowel_event_seconds',
      help: 'Time until an event was answered.',
      labelNames: ['event'],
      buckets: eventBuckets,
      registers,
    }),
    tokenRequests: new Counter({
      name: 'dowel_token_requests_total',
      help: 'Exchanges that gave tokens, refreshes, and requests for a new access_token event.',
      labelNames: ['kind', 'outcome', 'reason'],
      registers,
    }),
    sessions: new Counter({
      name: 'dowel_sessions_opened_total',
      help: 'Sessions of pages that were opened.',
      registers,
    }),
    refusedSessions: new Counter({
      name: 'dowel_sessions_refused_total',
      help: 'Init JWTs that opened no session.',
      labelNames: ['reason'],
      registers,
    }),
    callSeconds: new Histogram({
      name: 'dowel_call_seconds',
      help: 'Time until a call to a platform was answered or failed, with waits.',
      buckets: callBuckets,
      registers,
    }),
    refusedCalls: new Counter({
      name: 'dowel_calls_refused_total',
      help: 'Calls that were not sent, and calls of pages over a limit.',
      labelNames: ['code'],
      registers,
    }),
  } as const;
}

function measureCalls(registry: Registry, calls: Metrics['calls']): void {
  new Counter({
    name: 'dowel_calls_total',
    help: 'Calls to platforms by the class of their status; none: sent, or begun, without an answer.',
    labelNames: ['status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [status, count] of Object.entries(calls)) this.inc({ status }, count);
    },
  });
}

function measureLoop(registry: Registry, delay: LoopDelay): void {
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1_000);
  new Gauge({
    name: 'dowel_loop_lag_seconds',
    help: 'How late the event loop was since the last scrape.',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      this.set({ quantile: '0.5' }, seconds(delay.percentile(50)));
      this.set({ quantile: '0.99' }, seconds(delay.percentile(99)));
      this.set({ quantile: '1' }, seconds(delay.max));
      delay.reset();
    },
  });
}
