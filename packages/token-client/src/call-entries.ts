/**
 * Single calls of this process, for the operators' log: failed ones, and a sample of those that succeed. In memory and bounded,
 * until they are taken. A success that is no sample costs nothing here.
 */
import { randomUUID } from 'node:crypto';
import type { Timer } from '@dowel/http';
import type { CallReason } from '@dowel/schema';
import { readAnswerStart } from './answer-start.ts';
import type { CallInit } from './call-request.ts';
import { patternOf } from './path-pattern.ts';

/** What a call was made for. */
export interface CallSource {
  /** The plug-in's operation; null: a call outside of one. */
  operation: string | null;
  requestId: string | null;
  /** The platform's id of the user. */
  userId: string | null;
}

/** A call under way. */
export interface StartedCall {
  installationId: string;
  path: string;
  init: Pick<CallInit, 'method' | 'source'>;
  /** By the timer's clock. */
  startedAt: number;
  /** Requests that were sent. */
  attempts: number;
  /** The origin of the platform's API; undefined: the call has not come so far. */
  origin: string | undefined;
}

/** How a call ended. */
interface CallEnding {
  /** Null: it succeeded. */
  reason: CallReason | null;
  /** Undefined: the platform did not answer. */
  response?: Response;
  /** Texts that must not be shown of the answer. */
  secrets?: readonly string[];
  /** The transport's code, such as `ECONNRESET`. */
  fault?: string | undefined;
}

/** One call, or equal failures of one installation. Of several calls, the details are those of the first. */
export interface CallEntry extends CallSource {
  id: string;
  installationId: string;
  method: string;
  /** Without a query; `{id}` for each segment that is no plain word. */
  path: string;
  /** Of the platform's API; null: the call got no token. */
  host: string | null;
  status: number | null;
  /** Null: it succeeded. */
  reason: CallReason | null;
  fault: string | null;
  durationMs: number;
  attempts: number;
  /** The first characters of a failed call's answer, masked. Null: there is none. It may come a little later. */
  answer: string | null;
  count: number;
  /** Epoch milliseconds. */
  firstAt: number;
  lastAt: number;
}

export interface TakenEntries {
  entries: CallEntry[];
  /** Failed calls that had no room. */
  dropped: number;
}

/** The calls since they were last taken. */
export interface CallEntries {
  /** @param endsRound the next failure of each installation is announced again. */
  take(endsRound: boolean): TakenEntries;
}

export interface CallEntryLog extends CallEntries {
  add(call: StartedCall, ending: CallEnding): void;
}

const maxFailures = 500;
const maxFailuresOfOne = 20;
const maxSamples = 10;

export interface EntryLogOptions {
  now: () => number;
  timer: Timer;
  /** Called at the first failure of an installation in a round. */
  onCalls: () => void;
}

export function createCallEntries({ now, timer, onCalls }: EntryLogOptions): CallEntryLog {
  let failures = new Map<string, CallEntry>();
  let perInstallation = new Map<string, number>();
  let samples: CallEntry[] = [];
  let dropped = 0;
  let announced = new Set<string>();

  function addFailure(call: StartedCall, ending: CallEnding): void {
    const { installationId } = call;
    const entry = createEntry(call, ending, { at: now(), endedAt: timer.monotonic() });
    const key = keyOf(entry);
    const equal = failures.get(key);
    if (equal) {
      equal.count += 1;
      equal.lastAt = entry.lastAt;
      return;
    }
    const own = perInstallation.get(installationId) ?? 0;
    if (failures.size >= maxFailures || own >= maxFailuresOfOne) {
      dropped += 1;
      return;
    }
    failures.set(key, entry);
    perInstallation.set(installationId, own + 1);
    if (ending.response) void readAnswer(entry, ending.response, ending.secrets ?? []);
    if (announced.has(installationId)) return;
    announced.add(installationId);
    onCalls();
  }

  async function readAnswer(entry: CallEntry, response: Response, secrets: readonly string[]) {
    entry.answer = await readAnswerStart(response, { timer, secrets });
  }

  return {
    add(call, ending) {
      if (ending.reason !== null) addFailure(call, ending);
      else if (samples.length < maxSamples) {
        samples.push(createEntry(call, ending, { at: now(), endedAt: timer.monotonic() }));
      }
    },
    take(endsRound) {
      if (endsRound) announced = new Set();
      const taken = { entries: [...failures.values(), ...samples], dropped };
      failures = new Map();
      perInstallation = new Map();
      samples = [];
      dropped = 0;
      return taken;
    },
  };
}

const nothing: CallSource = { operation: null, requestId: null, userId: null };

function createEntry(
  { installationId, path, init, startedAt, attempts, origin }: StartedCall,
  { reason, response, fault }: CallEnding,
  { at, endedAt }: { at: number; endedAt: number },
): CallEntry {
  return {
    id: randomUUID(),
    installationId,
    ...(init.source ?? nothing),
    method: init.method ?? 'GET',
    path: patternOf(path),
    host: origin === undefined ? null : new URL(origin).host,
    status: response?.status ?? null,
    reason,
    fault: fault !== undefined && /^[A-Z][A-Z\d_]{1,59}$/.test(fault) ? fault : null,
    durationMs: Math.round(endedAt - startedAt),
    attempts,
    answer: null,
    count: 1,
    firstAt: at,
    lastAt: at,
  };
}

function keyOf({ installationId, operation, method, path, status, reason, fault }: CallEntry) {
  return JSON.stringify([installationId, operation, method, path, status, reason, fault]);
}
