import { afterEach, expect, test } from 'vitest';
import { exitCodeOf } from './report/report.ts';
import { type DoctorOptions, runDoctor } from './run-doctor.ts';
import { type PlainBackEnd, startPlainBackEnd } from './testing/plain-back-end.ts';

let backEnd: PlainBackEnd | undefined;

afterEach(async () => {
  await backEnd?.close();
});

const origin = 'http://localhost:0';

async function examine(options: DoctorOptions = {}) {
  const patient = await startPlainBackEnd();
  backEnd = patient;
  return runDoctor(patient.manifestUrl, {
    origin,
    keyBits: 2048,
    onListening: patient.trust,
    ...options,
  });
}

test('a right back end in plain Node has no finding', async () => {
  const report = await examine();

  expect(report.results.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  expect(exitCodeOf(report)).toBe(0);
});

test('a back end that trusts another platform is not judged', async () => {
  const report = await examine({ onListening: () => backEnd?.trust('https://platform.example') });

  expect(report.control).toMatch(/Unknown key.*Does the back end trust keys of/);
  expect(report.counts).toMatchObject({ pass: 1, fail: 0 });
  expect(exitCodeOf(report)).toBe(3);
});

test('a URL without a back end is not judged', async () => {
  const { manifestUrl, close } = await startPlainBackEnd();
  await close();

  const report = await runDoctor(manifestUrl, { origin, keyBits: 2048 });

  expect(report.control).toMatch(/manifest cannot be read/);
  expect(report.counts).toMatchObject({ pass: 0, fail: 0, open: 1 });
  expect(exitCodeOf(report)).toBe(3);
});
