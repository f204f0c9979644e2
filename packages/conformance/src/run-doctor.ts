/** Examines a back end: a platform with one tenant for each check, controls before verdicts. */
import { maskSecrets } from '@dowel/emulator';
import type { Browser } from './browser.ts';
import type { CallModule } from './call/caller.ts';
import type { Check, Need } from './check.ts';
import { chooseChecks } from './choose-checks.ts';
import { asSentence, tryInstallation } from './control.ts';
import { type Interruption, watchForEnd, whileTheySettle } from './interruption.ts';
import { requireOwnAddresses, requireOwnTarget } from './own-target.ts';
import { plainLine } from './report/plain.ts';
import { type CheckResult, countVerdicts, notJudged, type Report } from './report/report.ts';
import { resultOf, runCheck } from './run-check.ts';
import { readTarget, type Target } from './world/target.ts';
import { startTarget, type TargetProcess } from './world/target-process.ts';
import { asksFor, createTrial, secondName, type Trial } from './world/trial.ts';
import { createWorld, type World, type WorldOptions } from './world/world.ts';

export interface DoctorOptions {
  /** Where the back end finds the platform, and whose keys it trusts. Default `http://localhost:4300`. */
  origin?: string;
  /** Where this process listens, if that is another place than `origin`. */
  listen?: WorldOptions['listen'];
  /** Of a server that listens at `origin` already: the run needs no port of its own. */
  mount?: WorldOptions['mount'];
  /** Makes the back end call the platform's API. Without it those checks are skipped. */
  call?: CallModule;
  /** Opens the plug-in's page. Without it that check is skipped. */
  browser?: Browser;
  /** Also runs checks that take half a minute. Default false. */
  slow?: boolean;
  /**
   * The command that starts the back end, in the working folder. The doctor starts, restarts and ends it; nothing may
   * listen at the manifest's URL before.
   */
  start?: string;
  /** Only these checks. */
  only?: readonly string[];
  /** Adds the requests of each check to its result. Default false. */
  traces?: boolean;
  /** Length of the platform's RSA key. 2048 makes tests quick. Default 4096. */
  keyBits?: number;
  /** Called with the origin when the platform listens, before anything is sent: a port of 0 has become a real one. */
  onListening?: (origin: string) => Promise<void> | void;
  /** Called with each result, in the order in which they come. */
  onResult?: (result: CheckResult) => void;
  /** Whether a back end on another machine is the caller's own. Default false: it is refused. */
  isOwn?: boolean;
  /** The longest run, in milliseconds. Default 120,000. */
  limitMs?: number;
  /** Ends the run: what was installed is uninstalled, and the rest is `open`. */
  signal?: AbortSignal;
}

const controlName = 'control';
const defaultLimitMs = 120_000;
const callControlSeconds = 5;
const checksAtOnce = 16;
/** How long nothing may end after the run: checks may still install something, and the back end may hang. */
const endMs = 3_000;

/**
 * Resolves with the verdicts about a back end. It must run, or be started by `start`, and trust keys of `origin`.
 *
 * @param manifestUrl of the back end, such as `http://localhost:3000/manifest.json`
 * @throws DoctorError when the run cannot begin
 *
 * @example
 * const report = await runDoctor(manifestUrl, { origin, call });
 */
export async function runDoctor(manifestUrl: string, options: DoctorOptions = {}): Promise<Report> {
  const begun = performance.now();
  requireOwnTarget(manifestUrl, options.isOwn ?? false);
  const chosen = chooseChecks(options.only);
  const interruption = watchForEnd(options.limitMs ?? defaultLimitMs, options.signal);
  const world = await createWorld({
    origin: options.origin ?? 'http://localhost:4300',
    listen: options.listen,
    mount: options.mount,
    keyBits: options.keyBits,
    tenants: [controlName, ...chosen.flatMap(tenantNamesOf)],
  });
  let process: TargetProcess | undefined;
  try {
    await options.onListening?.(world.origin);
    process = await startTarget(manifestUrl, options.start, interruption);
    const run = await begin({ manifestUrl, world, options, process, interruption });
    const results = await runAll(run, chosen);
    await whileTheySettle(endMs, [...run.running]);
    await whileTheySettle(endMs, uninstallAll(world));
    return {
      version: 1,
      target: manifestUrl,
      origin: world.origin,
      seconds: Math.round((performance.now() - begun) / 100) / 10,
      control: run.control && plainLine(run.control),
      callControl: run.callControl && plainLine(run.callControl),
      interrupted: interruption.reason(),
      counts: countVerdicts(results),
      notJudged: [...notJudged],
      outdated: [],
      results,
    };
  } finally {
    await process?.end();
    world.close();
  }
}

interface Begun {
  manifestUrl: string;
  world: World;
  options: DoctorOptions;
  process: TargetProcess | undefined;
  interruption: Interruption;
}

interface Run extends Begun {
  target: Target | null;
  /** Why the first installation failed. */
  control: string | null;
  /** Why no call reached the platform's API. */
  callControl: string | null;
  /** The first installation has led to a token request, so the exchange can be judged even if it failed. */
  exchanged: boolean;
  /** The checks that run, also after an early end. */
  running: Set<Promise<CheckResult>>;
}

function tenantNamesOf({ id, usesSecondTenant }: Check): string[] {
  return usesSecondTenant ? [id, secondName(id)] : [id];
}

/** Controls before verdicts: a back end that refuses everything would pass every check of a refusal. */
async function begin(begun: Begun): Promise<Run> {
  const { manifestUrl, world, options, interruption } = begun;
  const { ended } = interruption;
  const read = await Promise.race([readTarget(manifestUrl), ended]);
  const controls = { control: null, callControl: null, exchanged: false };
  const run: Run = { ...begun, ...controls, target: null, running: new Set() };
  if (!read) return run;
  const { manifest } = read;
  if (!manifest) {
    const reason = `The manifest cannot be read: ${read.failure ?? read.problem}`;
    return { ...run, control: asSentence(reason) };
  }
  const target = { manifestUrl, manifest };
  requireOwnAddresses(target, options.isOwn ?? false);
  const trial = createTrial({ id: controlName, world, target, call: options.call });
  const control = await tryInstallation(trial, interruption);
  const exchanged = trial.exchanges('code').length > 0;
  const calls = control === null && options.call ? tryCall(trial) : null;
  const callControl = (await Promise.race([calls, ended])) ?? null;
  return { ...run, target, exchanged, control, callControl };
}

async function tryCall(trial: Trial): Promise<string | null> {
  try {
    const caller = await trial.openCaller();
    let sent = await caller.call();
    const arrives = () => trial.exchanges('api').length > 0;
    // `call.bearer` judges a call that works only later.
    for (let second = 0; second < callControlSeconds; second += 1) {
      if (await trial.until(arrives, 1)) return null;
      sent = await caller.call();
    }
    const answered = sent.status === null ? 'gave no answer' : `answered ${sent.status}`;
    return `--call never reached the platform’s API: the back end ${answered} ${sent.answer}`.trim();
  } catch (error) {
    return `--call could not open a page: ${maskSecrets((error as Error).message)}`;
  }
}

async function runAll(run: Run, chosen: readonly Check[]): Promise<CheckResult[]> {
  const results = new Map<Check, CheckResult>();
  const runOne = async (check: Check) => {
    const result = hindrance(run, check) ?? (await runHere(run, check));
    results.set(check, result);
    run.options.onResult?.(result);
  };
  const queue = chosen.filter(({ alone }) => !alone).values();
  const work = async () => {
    for (const check of queue) await runOne(check);
  };
  await Promise.all(Array.from({ length: checksAtOnce }, work));
  for (const check of chosen.filter(({ alone }) => alone)) await runOne(check);
  return chosen.flatMap((check) => results.get(check) ?? []);
}

/** Why a check does not run. Undefined: it does. */
function hindrance(run: Run, check: Check): CheckResult | undefined {
  const { target, interruption, control, callControl, exchanged } = run;
  const ended = interruption.reason();
  if (ended !== null) return resultOf(check, 'open', ended);
  const missing = check.needs.filter((need) => !isGiven(need, run));
  if (target && missing.length > 0) {
    const note = missing.includes('apiAccess')
      ? 'The manifest has no apiAccess.'
      : `Not asked: give ${missing.map((need) => `--${need}`).join(', ')}.`;
    return resultOf(check, 'skipped', note, missing);
  }
  const judgesExchange = exchanged && check.id.startsWith('exchange.');
  if (control !== null && !check.id.startsWith('manifest.') && !judgesExchange) {
    return resultOf(check, 'blocked', 'The first installation failed.');
  }
  if (callControl !== null && check.needs.includes('call')) {
    return resultOf(check, 'blocked', callControl);
  }
  return undefined;
}

function isGiven(need: Need, { target, options, process }: Run): boolean {
  switch (need) {
    case 'apiAccess':
      return target ? asksFor(target.manifest, 'access_token') : false;
    case 'call':
      return options.call !== undefined;
    case 'slow':
      return options.slow === true;
    case 'start':
      return process !== undefined;
    case 'browser':
      return options.browser !== undefined;
  }
}

async function runHere(run: Run, check: Check): Promise<CheckResult> {
  const { world, options, process, manifestUrl, interruption, running } = run;
  const { call, browser, traces = false } = options;
  // Without a manifest only checks of the manifest run.
  const target = run.target ?? { manifestUrl, manifest: {} as Target['manifest'] };
  const endReason = interruption.reason;
  const trial = createTrial({ id: check.id, world, target, call, browser, process, endReason });
  // A check before may have ended it. If it does not start, this one is blocked.
  if (check.alone) await process?.revive().catch(() => {});
  const work = runCheck(check, trial, { traces });
  running.add(work);
  void work.then(() => running.delete(work));
  const result = await Promise.race([work, interruption.ended]);
  if (result && !(await hasStopped(run, check, result))) return result;
  return resultOf(check, 'open', interruption.reason() ?? '');
}

/** A back end that has ended during the run has not failed the checks that come after it. */
async function hasStopped(run: Run, check: Check, { verdict }: CheckResult): Promise<boolean> {
  // What ends a back end has a check of its own, which runs alone.
  if (check.alone || run.control !== null || ['pass', 'skipped'].includes(verdict)) return false;
  const read = await Promise.race([readTarget(run.manifestUrl), run.interruption.ended]);
  if (!read) return true;
  if (read.status !== null) return false;
  run.interruption.end(`The back end does not answer any more: ${read.failure}`);
  return true;
}

/** The back end forgets the tenants of the run. `repeat.uninstall` judges failures. */
function uninstallAll({ platform }: World): Promise<unknown>[] {
  const installed = platform.tenants.flatMap(({ tenantId }) =>
    platform.plugins(tenantId).installations.map(({ pluginId }) => ({ tenantId, pluginId })),
  );
  return installed.map((key) => platform.uninstall(key));
}
