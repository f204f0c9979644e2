/** The record of a refused event or init JWT. The logger bounds a flood of them (line-limit.ts). */
import type { Context } from 'koa';
import type { Logger } from 'pino';

export interface RefusedEvent {
  event: string;
  reason: string;
  status: number;
}

export type RefusalLog = ReturnType<typeof createRefusalLog>;

export function createRefusalLog(logger: Logger) {
  return {
    add({ state }: Context, refused: RefusedEvent): void {
      state.isRecorded = true;
      logger.warn({ ...refused, requestId: state.requestId as string }, 'event.refused');
    },
  };
}

/** Whether this request has a refusal record, so that the log needs no other line. */
export function isRecorded({ state }: Context): boolean {
  return (state as { isRecorded?: boolean }).isRecorded === true;
}
