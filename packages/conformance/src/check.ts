/** What a check is, and the verdicts that it can end with. */
import type { Trial } from './world/trial.ts';

/** `must`: the specification, or security. `should`: facts of the platform, RFC 6749. `note`: never counted. */
export type Severity = 'must' | 'should' | 'note';

/**
 * What a check needs beside the URL of the manifest: `apiAccess` in that manifest, `call`: a way to make the back end
 * call the platform's API, `start`: the command that starts the back end, `browser`: Chromium, `slow`: half a minute.
 */
export type Need = 'apiAccess' | 'call' | 'start' | 'browser' | 'slow';

/** One claim about a back end, and how to see whether it is true. */
export interface Check {
  /** Stable: people write it into the files of their CI. */
  id: string;
  /** What a right back end does, in one sentence. */
  claim: string;
  /** Where that is written: `Spec §4.1`. */
  reference: string;
  severity: Severity;
  needs: readonly Need[];
  /** What happens to those whose back end does it wrong. */
  why: string;
  /** What the doctor sends, and what decides. */
  seen: string;
  /** How to correct the back end. */
  fix: string;
  /** Runs when no other check runs, because it may end the back end's process. */
  alone?: boolean;
  /** It installs the plug-in in two tenants. */
  usesSecondTenant?: boolean;
  /**
   * Resolves if the claim was seen to be true, with a note or without one.
   *
   * @throws Finding for every other verdict
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most checks have no note
  run(trial: Trial): Promise<string | void>;
}

/** A check as it is written: a `must` that needs the same as those beside it, unless it says otherwise. */
export type CheckRow = Omit<Check, 'needs' | 'severity'> &
  Partial<Pick<Check, 'needs' | 'severity'>>;

/** @param needs of each check that names none */
export function checksOf(needs: readonly Need[], rows: readonly CheckRow[]): readonly Check[] {
  return rows.map((row) => ({ needs, severity: 'must', ...row }));
}

/**
 * - `pass`: seen to be right.
 * - `fail`: a `must` that is wrong.
 * - `warn`: a `should` that is wrong.
 * - `skipped`: not asked for, or the manifest does not have it.
 * - `blocked`: what it builds on does not work, so it says nothing.
 * - `open`: it ran, and nothing can be said.
 * - `error`: a defect of the doctor.
 */
export const verdicts = ['pass', 'fail', 'warn', 'skipped', 'blocked', 'open', 'error'] as const;

export type Verdict = (typeof verdicts)[number];

/** Ends a check with another verdict than `pass`. Its message says what was seen. */
export class Finding extends Error {
  override readonly name = 'Finding';
  readonly verdict: 'wrong' | 'skipped' | 'blocked' | 'open';

  constructor(verdict: Finding['verdict'], saw: string) {
    super(saw);
    this.verdict = verdict;
  }
}

/** The claim is not true. @param saw what the back end did, in one sentence. */
export const wrong = (saw: string): Finding => new Finding('wrong', saw);

/** The check cannot be asked of this back end. */
export const skipped = (why: string): Finding => new Finding('skipped', why);

/** What the check builds on does not work. @param check that has judged it. */
export const blocked = (why: string, check: string): Finding =>
  new Finding('blocked', `${why.replace(/\.$/, '')}. See ${check}.`);

/** The check has run, and its answer decides nothing. */
export const open = (saw: string): Finding => new Finding('open', saw);

export const limited =
  'The back end answered 429: it limits requests. Raise its limit and run again';

/** 429 says nothing about what was asked. @throws Finding `open` */
export function requireNoLimit({ status }: { status: number | null }): void {
  if (status === 429) throw open(limited);
}
