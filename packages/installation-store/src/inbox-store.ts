/** Which events were seen, and how they were answered. Points in time are epoch milliseconds. */

/** Two deliveries with the same key are the same event. */
export interface InboxKey {
  installationId: string;
  digest: string;
}

export interface Verdict {
  status: number;
  reason: string | null;
  /** The plug-in's own text of a refusal. Default null. */
  message?: string | null;
}

/** The events that were received, and their answers. It makes the reception of events idempotent. */
export interface InboxStore {
  /** The earlier answer to the same event. */
  findVerdict(key: InboxKey): Promise<Verdict | undefined>;
  /**
   * Claims an undecided event for `claimMs` by the database's clock. False: it is decided already, or another
   * delivery has the claim.
   */
  claim(
    key: InboxKey,
    claim: { owner: string; claimMs: number; receivedAt: number; codeIat?: number | null },
  ): Promise<boolean>;
  /**
   * Makes a claim last for `claimMs` from now. False: the event is decided already, or another process has the
   * claim.
   */
  extend(key: InboxKey, claim: { owner: string; claimMs: number }): Promise<boolean>;
  /**
   * Decides an event at once. False: it is decided already, or another delivery has the claim.
   *
   * @param codeIat here and in `claim`: when an event with a code was signed, in seconds. The smallest of
   * several copies is kept.
   */
  decide(
    key: InboxKey,
    verdict: Verdict,
    receivedAt: number,
    codeIat?: number | null,
  ): Promise<boolean>;
  /**
   * Stores this verdict for all codes of an installation whose first copy was signed at `signedBy`, in
   * seconds, or before. A code that is being exchanged loses its claim.
   *
   * @param codes `withAccepted`: also for accepted codes, because their tokens were deleted.
   */
  retireCodes(
    installationId: string,
    verdict: Verdict,
    codes: { signedBy: number; withAccepted: boolean },
  ): Promise<void>;
  /**
   * Decides a claimed event permanently. False: it is decided already, or another process has the claim.
   *
   * @param owner null: any process may have the claim.
   */
  settle(key: InboxKey, owner: string | null, verdict: Verdict): Promise<boolean>;
  /** Releases a claim without a decision: the same event may come again. */
  release(key: InboxKey, owner: string): Promise<void>;
}
