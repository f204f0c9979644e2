/** Lets the doctor examine the plain back end with a mistake, and compares what it finds. */
import { parseCall } from '../call/parse-call.ts';
import type { CheckResult, Report } from '../report/report.ts';
import { runDoctor } from '../run-doctor.ts';
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

export async function examine(mistake: MistakeName): Promise<Report> {
  const { call = false, slow = false } = mistakes.get(mistake) ?? {};
  const backEnd = await startPlainBackEnd({ mistake });
  try {
    return await runDoctor(backEnd.manifestUrl, {
      origin: 'http://localhost:0',
      keyBits: 2048,
      ...(call && { call: plainCall }),
      slow,
      onListening: backEnd.trust,
    });
  } finally {
    await backEnd.close();
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
