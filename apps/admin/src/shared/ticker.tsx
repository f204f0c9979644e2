/** One clock for the whole page: a single one-second interval, running only while it is watched. */
import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';

interface Ticker {
  subscribe: (listener: () => void) => () => void;
  /** Epoch milliseconds of the last tick. */
  read: () => number;
  /** Epoch milliseconds at this moment. */
  now: () => number;
}

function createTicker(now: () => number): Ticker {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let current = now();

  function tick(): void {
    current = now();
    for (const listener of listeners) listener();
  }

  return {
    read: () => current,
    now,
    subscribe(listener) {
      listeners.add(listener);
      if (timer === undefined) {
        current = now();
        timer = setInterval(tick, 1_000);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

const TickerContext = createContext<Ticker | undefined>(undefined);
const ServerClockContext = createContext<ServerTime | undefined>(undefined);

/** The clocks of server and browser at one moment. */
export interface ServerTime {
  /** The server's clock when it answered. */
  now: number;
  /** This browser's clock when the answer arrived. */
  receivedAt: number;
}

export function TickerProvider({ children }: { children: ReactNode }) {
  const [ticker] = useState(() => createTicker(Date.now));
  return <TickerContext value={ticker}>{children}</TickerContext>;
}

/** Provides the server's clock to its children. */
export function ServerClock(props: { time: ServerTime; children: ReactNode }) {
  const { now, receivedAt } = props.time;
  const time = useMemo(() => ({ now, receivedAt }), [now, receivedAt]);
  return <ServerClockContext value={time}>{props.children}</ServerClockContext>;
}

/**
 * A value of the server's clock. The component renders again only when the value changes.
 *
 * @param read is given the server's clock in epoch milliseconds.
 * @throws TypeError outside of a {@link ServerClock}.
 */
export function useTicking<T extends string | number | boolean | null>(
  read: (now: number) => T,
): T {
  const { now, receivedAt } = useServerTime();
  // If the last tick is older than the answer, the answer's time is used.
  return useBrowserTicking((browserNow) => read(now + Math.max(0, browserNow - receivedAt)));
}

/** Like {@link useTicking}, with this browser's clock. */
export function useBrowserTicking<T extends string | number | boolean | null>(
  read: (browserNow: number) => T,
): T {
  const ticker = useTicker();
  return useSyncExternalStore(ticker.subscribe, () => read(ticker.read()));
}

/** Reads the server's clock in a handler or an effect. Renders nothing by itself. */
export function useReadServerNow(): () => number {
  const { now, receivedAt } = useServerTime();
  const ticker = useTicker();
  return useCallback(() => now + Math.max(0, ticker.now() - receivedAt), [ticker, now, receivedAt]);
}

function useTicker(): Ticker {
  const ticker = use(TickerContext);
  if (!ticker) throw new TypeError('The clock needs a TickerProvider');
  return ticker;
}

function useServerTime(): ServerTime {
  const time = use(ServerClockContext);
  if (!time) throw new TypeError("The server's clock needs a ServerClock");
  return time;
}
