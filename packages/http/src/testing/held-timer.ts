/** For tests of time limits: a limit ends when the test says so, however slow the machine is. */
import { systemTimer, type Timer } from '../timer.ts';

interface HeldTimer extends Timer {
  /** Ends the times that are held now. @returns how many. */
  end(): number;
}

/** The system's timer, except for the times that `isHeld`: they last until the test ends them. */
export function createHeldTimer(isHeld: (ms: number) => boolean): HeldTimer {
  const held = new Set<() => void>();
  return {
    ...systemTimer,
    after(ms, callback) {
      if (!isHeld(ms)) return systemTimer.after(ms, callback);
      const ended = () => callback();
      held.add(ended);
      return () => held.delete(ended);
    },
    end() {
      const all = [...held];
      held.clear();
      for (const ended of all) ended();
      return all.length;
    },
  };
}

/** A time limit of a call that only a {@link createHeldTimer} which holds {@link isEndless} ends. */
export const endlessMs = 1_000_000;
/** A call has a little less than its `timeoutMs` left when its time begins to count. */
export const isEndless = (ms: number) => ms > endlessMs / 2;
