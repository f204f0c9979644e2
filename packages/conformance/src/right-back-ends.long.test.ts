/** Back ends that are right, with all that the doctor can ask of a process that it has not started. */
import { afterEach, expect, test } from 'vitest';
import type { Report } from './report/report.ts';
import { runDoctor } from './run-doctor.ts';
import { examineProcess, plainCall } from './testing/examine.ts';
import { type PlainBackEnd, startPlainBackEnd } from './testing/plain-back-end.ts';
import { hasPython, startPython } from './testing/start-python.ts';

let backEnd: PlainBackEnd | undefined;

afterEach(() => backEnd?.close());

async function findIn(start: () => Promise<PlainBackEnd>): Promise<string[]> {
  const started = await start();
  backEnd = started;
  const report = await runDoctor(started.manifestUrl, {
    origin: 'http://localhost:0',
    keyBits: 2048,
    call: plainCall,
    slow: true,
    onListening: started.trust,
  });
  return listOthers(report).filter((line) => !line.endsWith('--start.'));
}

/** What has not passed. */
const listOthers = ({ results }: Report): string[] =>
  results
    .filter(({ verdict }) => verdict !== 'pass')
    .map(({ id, verdict, note }) => `${verdict} ${id}: ${note}`);

/** The browser's check runs in the end-to-end tests. */
const withoutBrowser = 'skipped page.init: Not asked: give --browser.';

test('a back end that the doctor starts and restarts has no finding', async () => {
  expect(listOthers(await examineProcess())).toEqual([
    withoutBrowser,
    'skipped exchange.hangs: Not asked: give --slow.',
  ]);
});

test('a back end in plain Node has no finding', async () => {
  expect(await findIn(startPlainBackEnd)).toEqual([withoutBrowser]);
});

// There is no Python on some machines.
test.skipIf(!hasPython)('a back end in Python has no finding', async () => {
  expect(await findIn(startPython)).toEqual([withoutBrowser]);
});
