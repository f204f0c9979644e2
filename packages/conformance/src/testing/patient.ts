/** What the plain back end keeps in memory, and which of its lines is wrong. */
import type { KeyDocument } from '@dowel/schema';
import type { MistakeName } from './mistakes.ts';

export type Claims = Record<string, unknown>;

export interface Grant {
  tenantId: string;
  baseUrl: string;
  tokenUrl: string;
  triggerUrl: string;
  triggerBody: string;
  basic: string;
  clientSecret: string;
  code: string;
  jti: unknown;
  accessToken: string;
  refreshToken: string | undefined;
  expiresInMs: number;
}

export interface Patient {
  /** Keys below this origin’s `/certificates/` are trusted. */
  trusts: string;
  /** Whether this line is the wrong one. */
  is(mistake: MistakeName): boolean;
  /** By URL. */
  readonly keys: Map<string, Promise<KeyDocument>>;
  /** By installation, as everything below. */
  readonly grants: Map<string, Grant>;
  /** `iat` of the newest uninstall event; 0 after the next install. */
  readonly ended: Map<string, number>;
  /** The end of the newest event that is handled in turn. */
  readonly queues: Map<string, Promise<unknown>>;
  /** Refreshes and triggers that are running. */
  readonly renewals: Map<string, Promise<unknown>>;
  /** Who waits for the event that a trigger asks for. */
  readonly arrivals: Map<string, (() => void)[]>;
}

/** No request of the back end takes longer. */
export const requestLimitMs = 8_000;

export function createPatient({
  trusts,
  mistake,
}: {
  trusts: string;
  mistake: MistakeName | undefined;
}): Patient {
  return {
    trusts,
    is: (name) => name === mistake,
    keys: new Map(),
    grants: new Map(),
    ended: new Map(),
    queues: new Map(),
    renewals: new Map(),
    arrivals: new Map(),
  };
}
