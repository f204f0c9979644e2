import type { RequestListener } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import type { CheckResult } from '../report/report.ts';
import { runDoctor } from '../run-doctor.ts';
import { startBackEnd, type WrongBackEnd } from '../testing/start-back-end.ts';

let backEnd: WrongBackEnd | undefined;

afterEach(() => backEnd?.close());

/** The result of a check for a back end that answers for its page like this. */
async function examinePage(
  page: RequestListener,
  check = 'page.framing',
): Promise<CheckResult | undefined> {
  backEnd = await startBackEnd((request, response) => {
    if (request.url?.startsWith('/page')) return page(request, response);
    response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
  });
  const { results } = await runDoctor(backEnd.manifestUrl, {
    origin: 'http://localhost:0',
    keyBits: 2048,
    only: [check],
    traces: true,
  });
  return results[0];
}

test.each([
  [{ 'x-frame-options': 'SAMEORIGIN' }, 'fail'],
  [{ 'x-frame-options': 'ALLOW-FROM https://platform.example' }, 'pass'],
  [{ 'x-frame-options': 'DENY', 'content-security-policy': 'frame-ancestors *' }, 'pass'],
  [{ 'content-security-policy': "frame-ancestors *, frame-ancestors 'self'" }, 'fail'],
  [{ 'content-security-policy': 'frame-ancestors localhost:*' }, 'pass'],
])('page.framing judges %j as browsers do: %s', async (headers, verdict) => {
  const result = await examinePage((_, response) => response.writeHead(200, headers).end());

  expect(result?.verdict).toBe(verdict);
});

test('a page behind a redirect is judged there, and both messages are shown', async () => {
  const result = await examinePage((request, response) => {
    if (request.url?.startsWith('/page/')) {
      return response.writeHead(200, { 'x-frame-options': 'DENY' }).end();
    }
    return response.writeHead(301, { location: '/page/' }).end();
  });

  expect(result).toMatchObject({
    verdict: 'fail',
    exchanges: [
      { status: 301, url: expect.stringMatching(/\?src=[\da-f-]{36}_[\da-f-]{36}$/) },
      { status: 200, url: expect.stringMatching(/\/page\/$/) },
    ],
  });
});

test('a page that cannot be reached is no defect of the doctor', async () => {
  const result = await examinePage((request) => request.socket.destroy());

  expect(result).toMatchObject({
    verdict: 'open',
    note: expect.stringMatching(/^No answer came: /),
    exchanges: [{ status: null }],
  });
});

test('a module that the page names and the back end does not have is found', async () => {
  const result = await examinePage((request, response) => {
    if (request.url?.startsWith('/page?')) {
      return response.end('<script type="module" src="/page/none.js"></script>');
    }
    return response.writeHead(404, { 'access-control-allow-origin': '*' }).end();
  }, 'page.moduleCors');

  expect(result).toMatchObject({
    verdict: 'warn',
    note: '/page/none.js answers with status 404',
  });
});
