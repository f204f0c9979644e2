/**
 * Virtual time. One task runs at a time, and whatever it set in motion (promises, the store's group
 * commit) comes to rest before the next begins: so the order of everything is the scheduler's choice.
 */
import type { Random } from './random.ts';

export interface Scheduler {
  /** Milliseconds since the history began: the true time, that no clock of it need show. */
  now(): number;
  /** Runs `task` after so many virtual milliseconds. Returns the way to cancel. */
  after(delayMs: number, task: () => void): () => void;
  /** Time does not go on before this real work has ended. */
  track<Result>(work: Promise<Result>): Promise<Result>;
  /** The task under way hands over to code that goes on in promises. */
  disturb(): void;
  /** Runs what is due until then, or until `isOver`. */
  runUntil(time: number, isOver: () => boolean): Promise<void>;
}

interface Task {
  time: number;
  rank: number;
  run: (() => void) | undefined;
}

/** A turn of the event loop in which nothing ended, so often, is no progress any more. */
const maxTurns = 100_000;

/** @param ties tasks of the same moment run in the order they were made, or in a random one. */
export function createScheduler(random: Random, ties: 'in order' | 'at random'): Scheduler {
  const tasks: Task[] = [];
  let now = 0;
  let made = 0;
  let working = 0;
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
    for (let turns = 0; turns < maxTurns; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (working === 0) return;
    }
    throw new Error('Real work within a task does not end');
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
      working += 1;
      try {
        return await work;
      } finally {
        working -= 1;
      }
    },

    disturb() {
      isDisturbed = true;
    },

    async runUntil(time, isOver) {
      for (let next = tasks.at(-1); next && next.time <= time; next = tasks.at(-1)) {
        tasks.pop();
        if (!next.run) continue;
        now = next.time;
        next.run();
        if (isDisturbed || working > 0) await settle();
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
