/** `dowel doctor`: examines a back end, and prints the report. */
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  checks,
  DoctorError,
  type DoctorOptions,
  describeCheck,
  exitCodeOf,
  formatJunit,
  formatText,
  isLoopback,
  type KnownFindings,
  markKnown,
  parseKnown,
  plain,
  type Report,
  runDoctor,
} from '@dowel/conformance';
import { type Output, printUsage } from '../print-usage.ts';
import { launchBrowser } from './launch-browser.ts';
import { loadCall } from './load-call.ts';
import { type DoctorCall, doctorUsage, readDoctorCall } from './read-doctor-call.ts';
import { showProgress } from './show-progress.ts';

export interface DoctorContext extends Output {
  /** The folder that paths begin in. */
  root: string;
  /** Ends the run. */
  signal?: AbortSignal;
  /** Where the progress is shown. Default: nowhere. */
  terminal?: NodeJS.WriteStream | undefined;
  /** Default false. */
  colors?: boolean;
  /** Options of the library, for tests. */
  doctor?: Pick<DoctorOptions, 'keyBits' | 'onListening'>;
}

/** Resolves with the exit code: 0 to 4, as the usage says. */
export async function runDoctorCommand(
  args: readonly string[],
  context: DoctorContext,
): Promise<number> {
  const call = readDoctorCall(args);
  if (typeof call === 'string') return printUsage(call, { usage: doctorUsage, ...context });
  try {
    if (!('explain' in call)) return await examine(call, context);
    context.say(describeCheck(call.explain));
    return 0;
  } catch (error) {
    if (!(error instanceof DoctorError)) throw error;
    context.warn(plain(error.message));
    return ['OPTION_INVALID', 'NOT_OURS'].includes(error.code) ? 2 : 3;
  }
}

async function examine(call: DoctorCall, context: DoctorContext): Promise<number> {
  const { root, say, warn, signal, terminal } = context;
  const { manifestUrl, origin, listen, start, isSlow, only, traces, isOwn, isStrict } = call;
  const known = await readKnown(call.known, root);
  const module = call.call === undefined ? undefined : await loadCall(call.call, root);
  await using browser = call.hasBrowser ? await launchBrowser() : null;
  const progress = showProgress(terminal, only?.length ?? checks.length);
  const report = await runDoctor(manifestUrl, {
    traces,
    slow: isSlow,
    isOwn,
    onResult: progress.count,
    ...(origin !== undefined && { origin }),
    ...(listen && { listen }),
    ...(only && { only }),
    ...(start !== undefined && { start }),
    ...(module && { call: module }),
    ...(browser && { browser }),
    ...(signal && { signal }),
    ...context.doctor,
    onListening: async (ours) => {
      if (isOwn && !isLoopback(manifestUrl)) warn(describeTrust(ours));
      await context.doctor?.onListening?.(ours);
    },
  }).finally(progress.clear);
  const judged = markKnown(report, known);
  // The report is worth minutes, so it is printed also if the file cannot be written.
  say(call.isJson ? toJson(judged) : toText(judged, call, context));
  if (call.junit !== undefined) await writeJunit(resolve(root, call.junit), judged, isStrict);
  return exitCodeOf(judged, { isStrict });
}

function toText(
  report: Report,
  { all, only, command }: DoctorCall,
  { colors = false }: DoctorContext,
): string {
  return formatText(report, { all: all || only !== undefined, colors, command });
}

/** Characters that a terminal may obey are escaped. `JSON.stringify` does it for those below U+0020. */
function toJson(report: Report): string {
  return JSON.stringify(report, null, 2).replaceAll(
    /[\u007F-\u009F\u2028\u2029\p{Bidi_Control}]/gu,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function describeTrust(origin: string): string {
  return `This back end believes every event of ${origin}. Use a staging system, and remove ${origin} from its trust afterwards.`;
}

/** @throws DoctorError `OPTION_INVALID` */
async function readKnown(path: string | undefined, root: string): Promise<KnownFindings> {
  if (path === undefined) return {};
  const text = await readFile(resolve(root, path), 'utf8').catch(refuse('--known'));
  return parseKnown(text);
}

async function writeJunit(path: string, report: Report, isStrict: boolean): Promise<void> {
  await writeFile(path, formatJunit(report, { isStrict })).catch(refuse('--junit'));
}

function refuse(option: string): (error: Error) => never {
  return ({ message }) => {
    throw new DoctorError('OPTION_INVALID', `${option} is wrong. ${message}`);
  };
}
