/** Lets the doctor examine the plain back end. */

import type { Report } from '../report/report.ts';
import { type DoctorOptions, runDoctor } from '../run-doctor.ts';
import type { MistakeName } from './mistakes.ts';
import { startPlainBackEnd } from './plain-back-end.ts';

export async function examine(mistake?: MistakeName, options: DoctorOptions = {}): Promise<Report> {
  const backEnd = await startPlainBackEnd({ mistake });
  try {
    return await runDoctor(backEnd.manifestUrl, {
      origin: 'http://localhost:0',
      keyBits: 2048,
      onListening: backEnd.trust,
      ...options,
    });
  } finally {
    await backEnd.close();
  }
}

/** The ids of the checks that have found something, and of those that could not judge. */
export function summarize({ results }: Report): { finds: string[]; blocks: string[] } {
  const isFound = ({ verdict, severity, note }: Report['results'][number]) =>
    verdict === 'fail' || verdict === 'warn' || (severity === 'note' && note !== '');
  const found = results.filter(isFound);
  const others = results.filter(({ verdict }) => ['blocked', 'open', 'error'].includes(verdict));
  return { finds: found.map(({ id }) => id), blocks: others.map(({ id }) => id) };
}
