/** Lets the doctor examine the plain back end with a mistake, and compares what it finds. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startOnUnusedPort } from '@dowel/settings/testing';
import { parseCall } from '../call/parse-call.ts';
import type { CheckResult, Report } from '../report/report.ts';
import { type DoctorOptions, runDoctor } from '../run-doctor.ts';
import { type MistakeName, mistakes } from './mistakes.ts';
import { startPlainBackEnd } from './plain-back-end.ts';

interface Summary {
  /** The checks that have found something. */
  finds: readonly string[];
  /** The checks that could not judge. */
  blocks: readonly string[];
}

/** How the plain back ends call the platform. */
export const plainCall = parseCall(
  'POST /api/notify {"initJwt":"{initJwt}","instanceId":"{instanceId}","pluginId":"{pluginId}","recipientId":"{recipientId}","message":"{message}"}',
);

/** It runs as a process if the mistake needs one. */
export function examine(mistake: MistakeName): Promise<Report> {
  const { call = false, start = false, slow = false } = mistakes.get(mistake) ?? {};
  if (start) return examineProcess(mistake);
  return examineHere(mistake, { slow, ...(call && { call: plainCall }) });
}

const common = { origin: 'http://localhost:0', keyBits: 2048 };

async function examineHere(mistake: MistakeName, options: DoctorOptions): Promise<Report> {
  const backEnd = await startPlainBackEnd({ mistake });
  try {
    return await runDoctor(backEnd.manifestUrl, {
      ...common,
      ...options,
      onListening: backEnd.trust,
    });
  } finally {
    await backEnd.close();
  }
}

const program = fileURLToPath(new URL('plain-process.ts', import.meta.url));

/** The doctor starts the plain back end. @param mistake default: a right one */
export async function examineProcess(mistake?: MistakeName): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-patient-'));
  const run = (port: number) =>
    runDoctor(`http://localhost:${port}/manifest.json`, {
      ...common,
      call: plainCall,
      start: [process.execPath, program, port, folder, mistake ?? ''].join(' '),
      onListening: (origin) => writeFile(join(folder, 'trusts'), origin),
    });
  try {
    return await startOnUnusedPort(run);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A note counts as found if it says something. */
export function summarize({ results }: Report): Summary {
  const isFound = ({ verdict, severity, note }: CheckResult) =>
    /^(fail|warn)$/.test(verdict) || (severity === 'note' && verdict === 'pass' && note !== '');
  const isBlocked = ({ verdict }: CheckResult) => /^(blocked|open|error)$/.test(verdict);
  return { finds: idsOf(results.filter(isFound)), blocks: idsOf(results.filter(isBlocked)) };
}

/** What must come of this mistake. */
export function expected(mistake: MistakeName, { results }: Report): Summary {
  const { finds = [], blocks = [] } = mistakes.get(mistake) ?? {};
  const isOther = ({ id }: CheckResult) => !finds.includes(id);
  const others = idsOf(results.filter(isOther));
  return { finds: [...finds].sort(), blocks: blocks === 'others' ? others : [...blocks].sort() };
}

const idsOf = (results: readonly CheckResult[]) => results.map(({ id }) => id).sort();
