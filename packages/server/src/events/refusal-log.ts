/** The record of a refused event or init JWT. The logger bounds a flood of them (line-limit.ts). */
import type { Log } from '../log/log.ts';
import type { ServerRequest } from '../request/server-request.ts';

export interface RefusedEvent {
  event: string;
  reason: string;
  status: number;
}

export type RefusalLog = ReturnType<typeof createRefusalLog>;

/** @param count hears every status, also of lines that the logger leaves out. */
export function createRefusalLog(logger: Pick<Log, 'warn'>, count: (status: number) => void) {
  return {
    add(request: Pick<ServerRequest, 'requestId' | 'isRecorded'>, refused: RefusedEvent): void {
      request.isRecorded = true;
      count(refused.status);
      logger.warn({ ...refused, requestId: request.requestId }, 'event.refused');
    },
  };
}
