import { expect, test } from 'vitest';
import { runDoctor } from '../run-doctor.ts';
import { startBackEnd } from '../testing/start-back-end.ts';

const verdictsFor = async (contentType: string) => {
  const backEnd = await startBackEnd((_, response) => {
    response.writeHead(201, { 'content-type': contentType }).end('{}');
  });
  const { results } = await runDoctor(backEnd.manifestUrl, {
    origin: 'http://localhost:0',
    keyBits: 2048,
    only: ['reception.form', 'repeat.uninstall'],
  });
  await backEnd.close();
  return results.map(({ verdict }) => verdict);
};

test.each([
  ['application/json;charset=utf-8', ['pass', 'pass']],
  ['application/vnd.plain+json', ['pass', 'pass']],
  ['application/json-seq', ['fail', 'warn']],
  ['text/html', ['fail', 'warn']],
])('an answer of the type %s is JSON, or is not, as for the platform', async (type, verdicts) => {
  expect(await verdictsFor(type)).toEqual(verdicts);
});
