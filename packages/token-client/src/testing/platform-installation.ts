/** One installation as its platform knows it: identity, secrets, what it is to suffer, what was counted. */
import { randomUUID } from 'node:crypto';
import type { TokenAnswer } from './authorization-server.ts';
import { Tally } from './tally.ts';
import type { TokenFault } from './token-fault.ts';

export class PlatformInstallation {
  readonly tenantId = randomUUID();
  readonly pluginId = randomUUID();
  readonly clientId = randomUUID();
  readonly clientSecret = `secret-${randomUUID()}`;
  readonly triggerToken = `trigger-${randomUUID()}`;
  /** The tenant's address; also the issuer of its events. */
  readonly baseUrl: string;

  /** Refresh tokens are replaced by each refresh. */
  readonly rotates: boolean;

  tally = new Tally();
  /** Taken by the next refreshes, one each. */
  refreshFaults: TokenFault[] = [];
  /** Met by every refresh that finds no fault above. */
  standingFault: TokenFault = {};
  /** Taken by the next exchanges, one each. */
  exchangeFaults: TokenFault[] = [];
  /** Met by every call, after it was judged and before it is answered. */
  beforeCallAnswer: (status: number) => Promise<unknown> = async () => {};
  refusesEveryCall = false;
  triggerAnswer: TokenAnswer = { status: 202, body: {} };
  beforeTriggerAnswer: () => Promise<unknown> = async () => {};
  eventDelayMs = 20;
  /** The events say how to ask for another one. */
  hasTrigger = true;
  /** Taken triggers lead to an event. */
  sendsEvents = true;

  constructor(origin: string, rotates: boolean) {
    this.rotates = rotates;
    this.baseUrl = `${origin}/t/${this.tenantId}/`;
  }
}
