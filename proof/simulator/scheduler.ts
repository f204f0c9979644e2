/**
 * Virtual time. One task runs at a time, and all work that it started (promises, the store's group commit)
 * ends before the next task begins. So the scheduler decides the order of everything.
 */
import type { Random } from './random.ts';

export interface Scheduler {
  /** True milliseconds since the history began. The clocks of processes may differ. */
  now(): number;
  /** Runs `task` after `delayMs` of virtual time. Returns a function that cancels. */
  after(delayMs: number, task: () => void): () => void;
  /**
   * Stops the virtual time until this real work has ended. Work that began together is delivered together, in the order
   * in which it began: how long a disk or a thread takes decides nothing.
   */
  track<Result>(work: Promise<Result>): Promise<Result>;
  /** The current task continues in promises. */
  disturb(): void;
  /** Runs the due tasks until `time`, or until `isOver`. */
  runUntil(time: number, isOver: () => boolean): Promise<void>;
}

interface Task {
  time: number;
  rank: number;
  run: (() => void) | undefined;
}

interface Context {
  random: Random;
  ties: Ties;
  /** The next task is the last of the list. */
  tasks: Task[];
  now: number;
  made: number;
  /** Real work that is under way, such as a thread's, in the order in which it began. */
  working: Work[];
  isDisturbed: boolean;
}

interface Work {
  ended: Promise<unknown>;
  deliver(): void;
}

type Ties = 'in order' | 'at random';

/** @param ties tasks of the same moment run in the order they were made, or in a random one. */
export function createScheduler(random: Random, ties: Ties): Scheduler {
  const context: Context = {
    random,
    ties,
    tasks: [],
    now: 0,
    made: 0,
    working: [],
    isDisturbed: false,
  };
  return {
    now: () => context.now,
    after: (delayMs, run) => after(context, delayMs, run),
    track: (work) => track(context, work),
    disturb() {
      context.isDisturbed = true;
    },
    runUntil: (time, isOver) => runUntil(context, time, isOver),
  };
}

function after(context: Context, delayMs: number, run: () => void): () => void {
  context.made += 1;
  const task: Task = {
    time: context.now + Math.max(0, delayMs),
    rank: context.ties === 'in order' ? context.made : context.random.next(),
    run,
  };
  insert(context.tasks, task);
  return () => {
    task.run = undefined;
  };
}

function insert(tasks: Task[], task: Task): void {
  let low = 0;
  let high = tasks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(tasks[middle] as Task, task)) high = middle;
    else low = middle + 1;
  }
  tasks.splice(low, 0, task);
}

/** The next task is the last of the list. */
function isBefore(left: Task, right: Task): boolean {
  return left.time === right.time ? left.rank < right.rank : left.time < right.time;
}

function track<Result>({ working }: Context, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve) => {
    working.push({ ended: Promise.allSettled([work]), deliver: () => resolve(work) });
  });
}

async function runUntil(context: Context, time: number, isOver: () => boolean): Promise<void> {
  const { tasks } = context;
  // Work that began outside of a task continues before time passes.
  if (isBusy(context)) await settle(context);
  if (isOver()) return;
  for (let next = tasks.at(-1); next && next.time <= time; next = tasks.at(-1)) {
    tasks.pop();
    if (!next.run) continue;
    context.now = next.time;
    next.run();
    if (isBusy(context)) await settle(context);
    if (isOver()) return;
  }
  context.now = Math.max(context.now, time);
}

function isBusy({ isDisturbed, working }: Context): boolean {
  return isDisturbed || working.length > 0;
}

async function settle(context: Context): Promise<void> {
  context.isDisturbed = false;
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    const begun = context.working.splice(0);
    if (begun.length === 0) return;
    // What hangs ends with the time limit of the test.
    for (const { ended } of begun) await ended;
    for (const { deliver } of begun) deliver();
  }
}
