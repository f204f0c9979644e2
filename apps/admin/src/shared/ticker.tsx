/** One clock for the whole page: a single one-second interval, running only while it is watched. */
import { createContext, type ReactNode, use, useMemo, useState, useSyncExternalStore } from 'react';

interface Ticker {
  subscribe: (listener: () => void) => () => void;
  /** Epoch milliseconds of the last tick. */
  read: () => number;
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
const ServerClockContext = createContext({ serverNow: 0, receivedAt: 0 });

export function TickerProvider({ children }: { children: ReactNode }) {
  const [ticker] = useState(() => createTicker(Date.now));
  return <TickerContext value={ticker}>{children}</TickerContext>;
}

/**
 * Provides the server's clock to its children.
 *
 * @param serverNow the server's clock when it answered.
 * @param receivedAt this browser's clock when the answer arrived.
 */
export function ServerClock(props: { serverNow: number; receivedAt: number; children: ReactNode }) {
  const { serverNow, receivedAt } = props;
  const clock = useMemo(() => ({ serverNow, receivedAt }), [serverNow, receivedAt]);
  return <ServerClockContext value={clock}>{props.children}</ServerClockContext>;
}

/**
 * A text of the server's clock. The component renders again only when the text changes.
 *
 * @param read is given the server's clock in epoch milliseconds.
 */
export function useTicking<T extends string | number | boolean>(read: (now: number) => T): T {
  const ticker = use(TickerContext);
  if (!ticker) throw new TypeError('useTicking needs a TickerProvider');
  const { serverNow, receivedAt } = use(ServerClockContext);
  // The last tick may be older than the answer, whose time then counts.
  return useSyncExternalStore(ticker.subscribe, () =>
    read(serverNow + Math.max(0, ticker.read() - receivedAt)),
  );
}

/** The server's clock in epoch milliseconds; renders again each second. */
export function useServerNow(): number {
  return useTicking((now) => now);
}
