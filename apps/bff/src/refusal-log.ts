/** The record of a refused event or init JWT. The logger bounds a flood of them (line-limit.ts). */
import type { Logger } from 'pino';

export interface RefusedEvent {
  event: string;
  reason: string;
  status: number;
  requestId: string;
}

export type RefusalLog = ReturnType<typeof createRefusalLog>;

export function createRefusalLog(logger: Logger) {
  return {
    add(refused: RefusedEvent): void {
      logger.warn(refused, 'event.refused');
    },
  };
}
