/**
 * The record of a refused event or init JWT. The logger bounds a flood of them (line-limit.ts), and the tally
 * that of the dashboard's page about refusals.
 */
import type { Log } from '../log/log.ts';
import { describeSender, parseSenderAddress } from '../request/sender-address.ts';
import type { ServerRequest } from '../request/server-request.ts';
import { type RefusalTally, tallyRefusal } from './refusal-tally.ts';

export interface RefusedEvent {
  event: string;
  reason: string;
  status: number;
}

/** What is known of a request that reached no installation. */
export interface Stranger {
  /** The plug-in whose URL was called. */
  plugin: string;
  /** The host that the JWT names as its issuer; '' without one. */
  claimedHost: string;
}

export type RefusalLog = ReturnType<typeof createRefusalLog>;

/** @param count hears every status, also of lines that the logger leaves out. */
export function createRefusalLog(
  logger: Pick<Log, 'warn'>,
  { count, tally }: { count: (status: number) => void; tally: RefusalTally },
) {
  return {
    /** @param stranger undefined: the history of an installation has the refusal. */
    add(
      request: Pick<ServerRequest, 'requestId' | 'isRecorded' | 'address'>,
      refused: RefusedEvent,
      stranger?: Stranger,
    ): void {
      request.isRecorded = true;
      count(refused.status);
      logger.warn({ ...refused, requestId: request.requestId }, 'event.refused');
      if (!stranger) return;
      const kind = refused.event === 'session' ? 'session' : 'event';
      const sender = parseSenderAddress(request.address);
      tallyRefusal(tally, {
        reason: refused.reason,
        kind,
        issuer: stranger.claimedHost,
        // A session is of a person, whose address is not needed.
        sender: describeSender(sender, kind === 'session' ? 'network' : 'address'),
        plugin: stranger.plugin,
      });
    },
  };
}
