/** What the plain back end keeps, and which of its lines is wrong. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
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
  /** Writes grants and ends to the file, if there is one. */
  keep(): void;
}

/** No request of the back end takes longer. */
export const requestLimitMs = 8_000;

/** @param file keeps installations longer than the process lives. */
export function createPatient({
  trusts,
  mistake,
  file,
}: {
  trusts: string;
  mistake: MistakeName | undefined;
  file: string | undefined;
}): Patient {
  const { grants, ended } = readKept(file);
  return {
    trusts,
    is: (name) => name === mistake,
    keys: new Map(),
    grants,
    ended,
    queues: new Map(),
    renewals: new Map(),
    arrivals: new Map(),
    keep() {
      if (file === undefined || mistake === 'restart.keepsTokens') return;
      writeFileSync(`${file}.part`, JSON.stringify({ grants: [...grants], ended: [...ended] }));
      renameSync(`${file}.part`, file);
    },
  };
}

function readKept(file: string | undefined): Pick<Patient, 'grants' | 'ended'> {
  const text = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : '{}';
  const { grants, ended } = JSON.parse(text) as {
    grants?: [string, Grant][];
    ended?: [string, number][];
  };
  return { grants: new Map(grants), ended: new Map(ended) };
}
