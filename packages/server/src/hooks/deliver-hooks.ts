/**
 * Calls the plug-ins' hooks for the deliveries in the outbox: claim, run, settle (docs/decisions/0036-hooks.md). It
 * looks for deliveries at each change that the store announces, when the next one is due, and every few seconds.
 */
import { randomUUID } from 'node:crypto';
import { pause, systemTimer, type Timer } from '@dowel/http';
import type { ClaimedHook, Installation, Store } from '@dowel/installation-store';
import type { Log } from '../log/log.ts';
import type { CallScope, Platform } from '../platform/call-platform.ts';
import { type HookObservation, type HooksByPlugin, hookOf, listHooks } from './hooks.ts';
import { type HookPolicy, readHookPolicy } from './policy.ts';
import { leaseMarginMs, type Run, runHook } from './run-hook.ts';

export interface HookDeliveryOptions {
  /** The hooks of each plug-in, by its name in the store; '' for the only one. */
  hooks: HooksByPlugin;
  store: Store;
  /** Values that are left out have their defaults. */
  policy?: Partial<HookPolicy>;
  log: Log;
  /** The platform of an installation, whose calls end with the signal. */
  platformOf(installation: Installation, scope: CallScope): Platform;
  /** Called at the end of each attempt. Its errors are ignored. */
  observe?: (observation: HookObservation) => void;
  /** Default: the system's timer. */
  timer?: Timer;
  /** From 0 to less than 1. Default `Math.random`. */
  random?: () => number;
}

export interface HookDeliverer {
  /** Delivers from now on, in the background. */
  start(): void;
  /** For tests: runs the due deliveries, and those that follow at once. Returns the number of attempts. */
  runDue(): Promise<number>;
  /**
   * Stops claiming. Resolves when the running hooks have ended and their results are stored, or after `graceMs`
   * (default 12,000). Hooks that still run then are aborted, and another process delivers them again.
   */
  drain(options?: { graceMs?: number }): Promise<void>;
}

export interface DeliveryContext {
  hooks: HooksByPlugin;
  store: Store;
  policy: HookPolicy;
  log: Log;
  platformOf: HookDeliveryOptions['platformOf'];
  observe: (observation: HookObservation) => void;
  timer: Timer;
  random: () => number;
  /** The id of this process in claims. */
  owner: string;
  /** Runs whose hook has not ended, by installation, including those that have timed out. */
  running: Map<string, Run>;
  /** Attempts whose end is not stored yet. */
  active: Set<Promise<void>>;
  /** Aborted by `drain`. */
  draining: AbortController;
  /** Aborted when the time of `drain` is over. */
  closing: AbortController;
  isStarted: boolean;
  /** The claim that is under way. */
  looking: Promise<number> | undefined;
  /** A change was announced, and the next claim is scheduled. */
  isWaking: boolean;
  /** A change was announced during the claim under way. */
  looksAgain: boolean;
  cancelTimer: () => void;
  stopListening: () => void;
}

/** Changes are announced at once; the poll finds those that were missed. */
const pollMs = 5_000;
const claimPauseMs = 50;
/** Time for the answer to an event to be sent first. A hook is called within 50 ms of the answer. */
const afterAnswerMs = 10;
const drainGraceMs = 12_000;
/** As a multiple of `concurrency`: with more hooks that still run after their time-out, nothing is claimed. */
const maxOverdueFactor = 4;
/** A hook that still runs this long after its time-out is given up: its next attempt no longer waits for it. */
const overdueMs = 300_000;

/**
 * Creates the delivery of hooks: one per process and store. Does nothing before `start` or `runDue`.
 *
 * @throws TypeError for a value of `policy` that is out of range.
 */
export function createHookDelivery(options: HookDeliveryOptions): HookDeliverer {
  const context = createContext(options);
  return {
    start: () => start(context),
    runDue: () => runDue(context),
    drain: ({ graceMs = drainGraceMs } = {}) => drain(context, graceMs),
  };
}

function createContext(options: HookDeliveryOptions): DeliveryContext {
  const { hooks, store, log, platformOf, observe = () => {}, timer = systemTimer } = options;
  return {
    hooks,
    store,
    policy: readHookPolicy(options.policy),
    log,
    platformOf,
    observe,
    timer,
    random: options.random ?? Math.random,
    owner: randomUUID(),
    running: new Map(),
    active: new Set(),
    draining: new AbortController(),
    closing: new AbortController(),
    isStarted: false,
    looking: undefined,
    isWaking: false,
    looksAgain: false,
    cancelTimer: () => {},
    stopListening: () => {},
  };
}

function start(context: DeliveryContext): void {
  if (context.isStarted || context.draining.signal.aborted) return;
  context.isStarted = true;
  const { hooks, store } = context;
  // Without any hook, only the poll runs: it finds deliveries that a former version wrote.
  const hasHooks = Object.values(hooks).some((each) => listHooks(each).length > 0);
  if (hasHooks) context.stopListening = store.onChange(() => wakeSoon(context));
  wake(context);
}

/** The change may be an event whose answer is not sent yet. No work for a hook may delay it. */
function wakeSoon(context: DeliveryContext): void {
  if (context.isWaking) return;
  context.isWaking = true;
  context.timer.after(afterAnswerMs, () => {
    context.isWaking = false;
    wake(context);
  });
}

/** Claims due deliveries, now or after the claim that is under way. */
function wake(context: DeliveryContext): void {
  if (!context.isStarted || context.draining.signal.aborted) return;
  if (context.looking) {
    context.looksAgain = true;
    return;
  }
  context.cancelTimer();
  context.looking = look(context)
    .catch((err: unknown) => {
      context.log.error({ err }, 'hooks.claim_failed');
      return 0;
    })
    .finally(() => {
      context.looking = undefined;
    });
  void context.looking.then(() => {
    if (context.looksAgain) return wake(context);
    return wakeWhenDue(context);
  });
}

/** Claims as long as there are free places and due deliveries. Returns how many. */
async function look(context: DeliveryContext): Promise<number> {
  let claims = 0;
  do {
    context.looksAgain = false;
    const claimed = await claimDue(context);
    claims += claimed;
    if (claimed > 0) context.looksAgain = true;
  } while (context.looksAgain && hasPlace(context));
  return claims;
}

function hasPlace(context: DeliveryContext): boolean {
  const { active, policy, draining } = context;
  return !draining.signal.aborted && !isStuck(context) && active.size < policy.concurrency;
}

function isStuck({ active, running, policy }: DeliveryContext): boolean {
  return running.size - active.size >= policy.concurrency * maxOverdueFactor;
}

async function claimDue(context: DeliveryContext): Promise<number> {
  const { store, policy, hooks, owner, running, active, log } = context;
  if (!hasPlace(context)) return 0;
  const except = [...running.keys()];
  if ((await store.hooks.findDueInMs(except)) !== 0) return 0;
  const { claimed, unhandled } = await store.hooks.claim({
    owner,
    limit: policy.concurrency - active.size,
    leaseMs: policy.timeoutMs + leaseMarginMs,
    except,
    handles: (plugin, event) => hookOf(hooks, plugin, event) !== undefined,
  });
  for (const each of claimed) begin(context, runHook(context, each), each);
  for (const { id, event, installationId } of unhandled) {
    log.error({ hookId: id, event, installationId }, 'hook.no_handler');
  }
  return claimed.length + unhandled.length;
}

/** The next delivery of the installation may begin when the hook has ended and its result is stored. */
function begin(context: DeliveryContext, run: Run, claimed: ClaimedHook): void {
  const { running, active } = context;
  const { installationId } = claimed;
  running.set(installationId, run);
  const ended = new AbortController();
  const leave = () => {
    if (ended.signal.aborted && !active.has(settled)) running.delete(installationId);
    wake(context);
  };
  const end = () => {
    // A hook that was given up is no longer in the map, and another one may run now.
    if (ended.signal.aborted) return;
    ended.abort();
    leave();
  };
  const settled = run.settled.finally(() => {
    active.delete(settled);
    leave();
    if (!ended.signal.aborted) void giveUpLater(context, claimed, { ended: ended.signal, end });
  });
  active.add(settled);
  void run.ended.then(end);
}

/** With too many hooks beyond their time-out, no hook is called until one of them ends or is given up. */
async function giveUpLater(
  context: DeliveryContext,
  { event, id: hookId, installationId, attempts: attempt }: ClaimedHook,
  { ended, end }: { ended: AbortSignal; end: () => void },
): Promise<void> {
  const { log, timer, closing, running, active } = context;
  if (isStuck(context)) log.error({ overdue: running.size - active.size }, 'hooks.stuck');
  const stop = AbortSignal.any([ended, closing.signal]);
  await pause(timer, overdueMs, stop);
  if (stop.aborted) return;
  log.error({ event, hookId, installationId, attempt }, 'hook.never_ended');
  end();
}

/** Schedules the next claim: when a delivery is due, and after a few seconds at the latest. */
async function wakeWhenDue(context: DeliveryContext): Promise<void> {
  const { store, timer, random, running, draining } = context;
  const dueInMs = hasPlace(context)
    ? await store.hooks.findDueInMs([...running.keys()]).catch(() => undefined)
    : undefined;
  if (draining.signal.aborted || context.looking) return;
  const jitteredMs = pollMs * (0.75 + random() / 2);
  context.cancelTimer();
  // Due, but not claimed: another process is about to.
  const waitMs = Math.max(claimPauseMs, Math.min(jitteredMs, dueInMs ?? Infinity));
  context.cancelTimer = timer.after(waitMs, () => wake(context));
}

async function runDue(context: DeliveryContext): Promise<number> {
  let attempts = 0;
  for (;;) {
    // A hook that ends during the claim may be followed by more deliveries.
    const mayBeFollowed = context.active.size > 0;
    const claims = await claimDue(context);
    attempts += claims;
    // Includes those that the background work has claimed.
    if (context.active.size > 0) await Promise.race(context.active);
    else if (claims === 0 && !mayBeFollowed) return attempts;
  }
}

async function drain(context: DeliveryContext, graceMs: number): Promise<void> {
  const { timer, active, running, draining, closing } = context;
  draining.abort();
  context.cancelTimer();
  context.stopListening();
  await context.looking;
  const patience = new AbortController();
  const ended = Promise.allSettled(active).then(() => patience.abort());
  await pause(timer, graceMs, patience.signal);
  const error = new Error('The process stops');
  for (const { stop } of running.values()) stop.abort(error);
  closing.abort(error);
  if (active.size === 0) await ended;
}
