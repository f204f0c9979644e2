/**
 * Every code and every refresh token that is presented to a token endpoint: how often, by whom, and
 * what was heard of it. A process that died, slept or was denied the database since is excused: the
 * others could not know what it had read.
 */
import { createHash } from 'node:crypto';
import { defaultPolicy } from '@dowel/token-client';
import type { Exchange } from '../network.ts';
import type { SimulatedProcess } from '../simulated-process.ts';
import type { Simulation } from '../simulation.ts';
import type { Tenant } from '../tenant.ts';
import type { StoredState } from './stored-state.ts';

type Answer = Parameters<Exchange['ended']>[0];

export interface Presentation {
  tenant: Tenant;
  kind: 'code' | 'refresh token';
  secret: string;
  process: SimulatedProcess;
  /** When the lease was taken, or the hold on refreshes. */
  heldAt: number;
  /** Which token set was stored then. */
  version: string;
  /** Nobody had held a lease of that version before, or the code's exchange. */
  isOnly: boolean;
  heard:
    | 'nothing yet'
    | 'nothing'
    | 'not sent'
    | 'not now'
    | 'a gateway gave up'
    | 'a definitive answer';
  /** The access token that the answer brought. */
  brought: string | undefined;
}

const { leaseMs, maxPresentations } = defaultPolicy;
const mayArrive = new Set<Presentation['heard']>(['nothing yet', 'nothing', 'a gateway gave up']);
/** No exchange takes longer. */
const exchangeMs = 10_000;

export function createPresentations(simulation: Simulation, state: StoredState) {
  const { scheduler, databaseClock, violate, count } = simulation;
  const all = new Map<string, Presentation[]>();
  const open = new Set<Presentation>();
  /** By process: the access tokens that came to it by a refresh of its own, and when. */
  const refreshed = new WeakMap<SimulatedProcess, Map<string, number>>();
  /** Access tokens whose refresh token or code had been presented before, and no answer was read. */
  const inDoubt = new Set<string>();
  /** Exchanges, sent or not. */
  const begun = new Map<Tenant, { codeDigest: string; at: number }[]>();

  /** Nothing has kept its process from telling the database what became of it. */
  function isUntroubled({ process, heldAt }: Presentation): boolean {
    return process.isAlive && Math.max(process.troubledAt, databaseClock.steppedAt) < heldAt;
  }

  /** It holds what it took: no other process may act as if it did not. */
  function isInCharge(presentation: Presentation): boolean {
    return isUntroubled(presentation) && scheduler.now() < presentation.heldAt + leaseMs;
  }

  function checkRepetition(next: Presentation, before: Presentation[]): void {
    const { secret, process } = next;
    for (const earlier of before) {
      if (earlier.heard !== 'a definitive answer') continue;
      const isItself = earlier.process === process;
      if (isItself || isUntroubled(earlier)) {
        violate('nothing is presented again once an answer was read', secret);
      }
    }
    const unanswered = before.filter(({ heard }) => heard === 'nothing' || heard === 'nothing yet');
    if (unanswered.length >= maxPresentations && !isForgotten(next, before)) {
      violate('nothing is presented a third time without an answer', secret);
    }
  }

  /** The store counts the presentations of the newest code only. */
  function isForgotten({ tenant, kind, secret }: Presentation, before: Presentation[]): boolean {
    const since = Math.min(...before.map(({ heldAt }) => heldAt));
    const last = begun.get(tenant)?.findLast(({ codeDigest }) => codeDigest !== digestOf(secret));
    return kind === 'code' && last !== undefined && last.at >= since;
  }

  function checkCompany(next: Presentation): void {
    for (const other of open) {
      if (other.tenant !== next.tenant || !isInCharge(other)) continue;
      if (other.version !== state.versionOf(next.tenant)) continue;
      if (next.kind === 'code') {
        if (other.kind === 'refresh token') count('event: during a refresh');
        if (other.secret === next.secret) {
          violate('a code is exchanged by one process at a time', next.secret);
        }
      } else if (other.kind === 'refresh token') {
        violate('no two refreshes of one installation run at once', next.secret);
      } else if (other.heldAt < next.heldAt && next.heldAt < other.heldAt + exchangeMs) {
        violate('no refresh begins during an exchange', `${next.secret} during ${other.secret}`);
      }
    }
  }

  function remember(presentation: Presentation, brought: string): void {
    const { secret, process, kind, isOnly } = presentation;
    const before = (all.get(secret) ?? []).filter((each) => each !== presentation);
    if (before.some(({ heard }) => mayArrive.has(heard))) {
      inDoubt.add(brought);
    } else if (kind === 'refresh token' && isOnly) {
      const own = refreshed.get(process) ?? new Map<string, number>();
      refreshed.set(process, own.set(brought, scheduler.now()));
    }
  }

  return {
    /** The store knows that this code is about to be presented. */
    announce(tenant: Tenant, codeDigest: string): void {
      begun.set(tenant, [...(begun.get(tenant) ?? []), { codeDigest, at: scheduler.now() }]);
    },

    begin(next: Presentation): void {
      const before = all.get(next.secret) ?? [];
      if (next.kind === 'code' && before.length > 0) count('event: code presented again');
      checkRepetition(next, before);
      checkCompany(next);
      all.set(next.secret, [...before, next]);
      open.add(next);
    },

    end(presentation: Presentation, answer: Answer): void {
      open.delete(presentation);
      presentation.heard = meaningOf(answer);
      const isLate = scheduler.now() > presentation.heldAt + leaseMs;
      if (isLate && presentation.heard === 'a definitive answer') {
        count('answer read after the lease');
      }
      if (presentation.heard === 'nothing' && presentation.kind === 'refresh token') {
        count('refresh: answer lost');
      }
      const body = typeof answer === 'object' && answer.status === 200 ? parse(answer.body) : {};
      presentation.brought = body.access_token;
      if (presentation.brought !== undefined) remember(presentation, presentation.brought);
      // The same refresh token goes on with the new access token.
      const isKept = body.access_token !== undefined && body.refresh_token === undefined;
      if (presentation.kind === 'refresh token' && isKept) all.delete(presentation.secret);
    },

    /** When the access token came to this process by a refresh of its own that left no doubt. */
    refreshedAt: (process: SimulatedProcess, accessToken: string): number | undefined =>
      refreshed.get(process)?.get(accessToken),

    isInDoubt: (accessToken: string): boolean => inDoubt.has(accessToken),

    died(process: SimulatedProcess): void {
      for (const presentation of [...all.values()].flat()) {
        if (presentation.process !== process) continue;
        const { kind, heard, brought } = presentation;
        if (heard === 'nothing yet' && kind === 'code') count('killed inside an exchange');
        if (brought !== undefined && !state.isStored(brought)) {
          count('killed between answer and commit');
        }
        if (heard === 'nothing yet') presentation.heard = 'nothing';
        open.delete(presentation);
      }
    },
  };
}

function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}

function meaningOf(answer: Answer): Presentation['heard'] {
  if (answer === 'refused') return 'not sent';
  if (!answer) return 'nothing';
  if (answer.status === 504) return 'a gateway gave up';
  return answer.status >= 500 || answer.status === 429 ? 'not now' : 'a definitive answer';
}

function parse(text: string): Record<string, string | undefined> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
