/**
 * Virtual time. One task runs at a time, and all that it started (promises, the store's group commit)
 * ends before the next begins: so the scheduler decides the order of everything.
 */
import type { Random } from './random.ts';

export interface Scheduler {
  /** Milliseconds since the history began: the true time, which its clocks may not show. */
  now(): number;
  /** Runs `task` after so many virtual milliseconds. Returns a function that cancels. */
  after(delayMs: number, task: () => void): () => void;
  /** Time stops until this real work has ended. */
  track<Result>(work: Promise<Result>): Promise<Result>;
  /** The current task continues in promises. */
  disturb(): void;
  /** Runs what is due until then, or until `isOver`. */
  runUntil(time: number, isOver: () => boolean): Promise<void>;
}

interface Task {
  time: number;
  rank: number;
  run: (() => void) | undefined;
}

/** @param ties tasks of the same moment run in the order they were made, or in a random one. */
export function createScheduler(random: Random, ties: 'in order' | 'at random'): Scheduler {
  const tasks: Task[] = [];
  let now = 0;
  let made = 0;
  /** Real work that is under way, such as a thread's. */
  const working = new Set<Promise<unknown>>();
  let isDisturbed = false;

  function insert(task: Task): void {
    let low = 0;
    let high = tasks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(tasks[middle] as Task, task)) high = middle;
      else low = middle + 1;
    }
    tasks.splice(low, 0, task);
  }

  async function settle(): Promise<void> {
    isDisturbed = false;
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (working.size === 0) return;
      // What hangs ends with the time limit of the test.
      await Promise.allSettled(working);
    }
  }

  return {
    now: () => now,

    after(delayMs, run) {
      made += 1;
      const task: Task = {
        time: now + Math.max(0, delayMs),
        rank: ties === 'in order' ? made : random.next(),
        run,
      };
      insert(task);
      return () => {
        task.run = undefined;
      };
    },

    async track(work) {
      working.add(work);
      try {
        return await work;
      } finally {
        working.delete(work);
      }
    },

    disturb() {
      isDisturbed = true;
    },

    async runUntil(time, isOver) {
      // What began outside of a task continues before time passes.
      if (isDisturbed || working.size > 0) await settle();
      if (isOver()) return;
      for (let next = tasks.at(-1); next && next.time <= time; next = tasks.at(-1)) {
        tasks.pop();
        if (!next.run) continue;
        now = next.time;
        next.run();
        if (isDisturbed || working.size > 0) await settle();
        if (isOver()) return;
      }
      now = Math.max(now, time);
    },
  };
}

/** The next task is the last of the list. */
function isBefore(left: Task, right: Task): boolean {
  return left.time === right.time ? left.rank < right.rank : left.time < right.time;
}
