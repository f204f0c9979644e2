/** One log line per refused event, until a flood of one reason: then one line per minute that counts. */
import type { Logger } from 'pino';

const linesPerMinute = 20;
const windowMs = 60_000;

export interface RefusedEvent {
  event: string;
  reason: string;
  status: number;
  requestId: string;
}

export type RefusalLog = ReturnType<typeof createRefusalLog>;

export function createRefusalLog(logger: Logger, now: () => number) {
  const windows = new Map<string, { startedAt: number; count: number }>();

  function summarise(reason: string, count: number): void {
    const suppressed = count - linesPerMinute;
    if (suppressed > 0) logger.warn({ reason, suppressed }, 'event.refused.more');
  }

  return {
    add(refused: RefusedEvent): void {
      const { reason } = refused;
      let window = windows.get(reason);
      if (!window || now() - window.startedAt >= windowMs) {
        if (window) summarise(reason, window.count);
        window = { startedAt: now(), count: 0 };
        windows.set(reason, window);
      }
      window.count += 1;
      if (window.count <= linesPerMinute) logger.warn(refused, 'event.refused');
    },
  };
}
