/**
 * The disk below the database of one history. A commit takes effect at once, and is acknowledged when a sync
 * that began after it has ended: one sync at a time, which the commits that waited for it share.
 */
import type { Simulation } from './simulation.ts';

export function createDisk({ scheduler, random, climate, count, log }: Simulation) {
  let slowUntil = 0;
  let syncMs = 0;
  /** The end of the running sync, and of the next one. */
  let thisEndsAt = 0;
  let nextEndsAt = 0;

  /** The time at which a commit of this moment is on the disk. */
  function syncedAt(): number {
    const now = scheduler.now();
    if (thisEndsAt <= now && nextEndsAt > now) thisEndsAt = nextEndsAt;
    if (thisEndsAt > now) nextEndsAt = Math.max(nextEndsAt, thisEndsAt + syncMs);
    else if (now < slowUntil) nextEndsAt = thisEndsAt = now + syncMs;
    return Math.max(nextEndsAt, now);
  }

  return {
    /** Each sync that begins in that time takes `ms`. */
    slowDown(forMs: number, ms: number): void {
      count('disk slow');
      log('database', `each sync of the next ${forMs} ms takes ${ms} ms`);
      slowUntil = scheduler.now() + forMs;
      syncMs = ms;
    },

    repair(): void {
      slowUntil = thisEndsAt = nextEndsAt = 0;
    },

    /** Calls back when a commit of this moment may be acknowledged: at once, if nothing is slow. */
    sync(acknowledge: () => void): void {
      const { late, maxLateMs } = climate().commits;
      const lateMs = random.chance(late) ? random.next() * maxLateMs : 0;
      if (lateMs > 0) count('commit: acknowledged late');
      const ms = syncedAt() - scheduler.now() + lateMs;
      if (ms > 0) scheduler.after(ms, acknowledge);
      else acknowledge();
    },
  };
}
