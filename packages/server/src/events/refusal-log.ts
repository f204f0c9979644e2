/** Logs and counts a refused event or init JWT. Under a flood, the logger limits the lines (line-limit.ts). */
import { explainReason } from '@dowel/schema';
import type { Log } from '../log/log.ts';
import { describeSender, parseSenderAddress } from '../request/sender-address.ts';
import type { ServerRequest } from '../request/server-request.ts';
import { type DeliveryTally, tallyDelivery } from './delivery-tally.ts';

export interface RefusedEvent {
  event: string;
  reason: string;
  status: number;
  /** For the log line only: what to change. */
  fix?: string;
  /** For the log line only. */
  [advice: string]: unknown;
}

/** The facts about a request that belongs to no installation. */
export interface Stranger {
  /** The plug-in whose URL was called. */
  plugin: string;
  /** The host that the JWT names as its issuer; '' without one. */
  claimedHost: string;
}

export type RefusalLog = ReturnType<typeof createRefusalLog>;

/** @param count called with every refusal, also for suppressed lines. */
export function createRefusalLog(
  logger: Pick<Log, 'warn'>,
  { count, tally }: { count: (refused: RefusedEvent) => void; tally: DeliveryTally },
) {
  return {
    /** @param stranger undefined: the refusal is in the history of an installation. */
    add(
      request: Pick<ServerRequest, 'requestId' | 'isRecorded' | 'address'>,
      refused: RefusedEvent,
      stranger?: Stranger,
    ): void {
      request.isRecorded = true;
      count(refused);
      const { requestId } = request;
      const { sentence: why, fix } = explainReason(refused.reason) ?? {};
      // The fix of this refusal is more exact than that of its reason.
      const advice = { why, fix: refused.fix ?? fix };
      const line = { ...refused, ...advice, requestId, ...describeStranger(stranger) };
      logger.warn(line, 'event.refused');
      if (refused.event === 'session' && stranger)
        tallySession(tally, request, { refused, stranger });
    },
  };
}

/** A session of a page is listed beside the events. */
function tallySession(
  tally: DeliveryTally,
  { requestId, address }: Pick<ServerRequest, 'requestId' | 'address'>,
  { refused, stranger }: { refused: RefusedEvent; stranger: Stranger },
): void {
  tallyDelivery(tally, {
    at: tally.now(),
    event: 'session',
    plugin: stranger.plugin,
    key: null,
    host: stranger.claimedHost,
    isVerified: false,
    status: refused.status,
    reason: refused.reason,
    isRepeat: false,
    durationMs: null,
    offBySeconds: null,
    // The sender of an init JWT is a person. Only the network is stored, for privacy.
    sender: describeSender(parseSenderAddress(address), 'network'),
    requestId,
    body: null,
    claims: null,
  });
}

/** Only what is known. */
function describeStranger({ plugin, claimedHost }: Partial<Stranger> = {}) {
  return { ...(plugin && { plugin }), ...(claimedHost && { claimedHost }) };
}
