/** The platform's data of one installation: identity, secrets, planned faults, counters. */
import { randomUUID } from 'node:crypto';
import type { AnswerFault, TokenAnswer } from '@dowel/emulator/authorization-server';
import { Tally } from './tally.ts';

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
  /** The faults of the next refreshes, one each. */
  refreshFaults: AnswerFault[] = [];
  /** The fault of every other refresh. */
  standingFault: AnswerFault = {};
  /** The faults of the next exchanges, one each. */
  exchangeFaults: AnswerFault[] = [];
  /** Awaited by every call, after the check of its token and before the answer. */
  beforeCallAnswer: (status: number) => Promise<unknown> = async () => {};
  refusesEveryCall = false;
  /** The first segments of paths that answer 401 to every token. */
  refusedPaths: string[] = [];
  triggerAnswer: TokenAnswer = { status: 202, body: {} };
  beforeTriggerAnswer: () => Promise<unknown> = async () => {};
  eventDelayMs = 20;
  /** The events contain a trigger. */
  hasTrigger = true;
  /** Accepted triggers lead to an event. */
  sendsEvents = true;

  constructor(origin: string, rotates: boolean) {
    this.rotates = rotates;
    this.baseUrl = `${origin}/t/${this.tenantId}/`;
  }
}
