import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { manifestOf } from '../testing/manifest-of.ts';
import { readTarget } from './target.ts';

const url = 'http://localhost:3000/events/';
const right = JSON.stringify(manifestOf(url, 'http://localhost:3000/page'));
const server = createServer();

afterEach(() => {
  server.removeAllListeners('request').closeAllConnections();
  server.close();
});

async function read(answer: RequestListener) {
  server.on('request', answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return readTarget(`http://localhost:${(server.address() as AddressInfo).port}/manifest.json`);
}

test('a manifest with unknown members and line breaks is read', async () => {
  const text = `\r\n${right.replace('{', '{"vendor":{},')}\n\n`;

  const { status, problem, manifest } = await read((_, response) => response.end(text));

  expect([status, problem]).toEqual([200, null]);
  expect(manifest?.lifecycle?.url).toBe(url);
});

test.each([
  ['with a byte order mark', `\uFEFF${right}`, /^Line 1: The file begins with a byte order mark/],
  ['that is no UTF-8', Buffer.from([0x22, 0xff, 0x22]), /^It is not UTF-8 text/],
  ['that is empty', '', /^Line 1: The text is empty/],
])('a manifest %s is not read, as the platform does it', async (_, text, problem) => {
  const target = await read((_, response) => response.end(text));

  expect(target).toMatchObject({ status: 200, problem: expect.stringMatching(problem) });
  expect(target.manifest).toBeNull();
});

test('an endless manifest is read to the limit only', async () => {
  const { problem } = await read((_, response) => {
    const write = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    };
    response.on('drain', write);
    write();
  });

  expect(problem).toBe('It is not UTF-8 text, or larger than 256 KB');
});

test('of a redirect the status is said, and not that its body is empty', async () => {
  const { problem, manifest } = await read((_, response) => {
    response.writeHead(308, { location: '/other.json' }).end();
  });

  expect([problem, manifest]).toEqual(['It answers with status 308', null]);
});

test('a manifest that is cut off has a reason', async () => {
  const { status, failure } = await read((request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{', () => request.destroy());
  });

  expect([status, failure]).toEqual([null, expect.stringContaining('the answer is cut off')]);
});
