import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HttpHost, startHttpHost } from '@dowel/http/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readManifestSource } from './manifest-source.ts';
import { callCommand } from './testing/call-command.ts';

let folder: string;
let host: HttpHost;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
  host = await startHttpHost();
});

afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function validate(...args: string[]) {
  return callCommand({ args: ['validate', ...args], folder });
}

test('a URL of this machine is read, and its query, which may hold a secret, is not shown', async () => {
  const url = host.serve('/manifest.json?key=s3cret', { name: 1 });

  const { code, out } = await validate(url);

  expect(code).toBe(1);
  expect(out).toContain(`${host.origin}/manifest.json:1:9 error at /name: Expected an object`);
  expect(out).not.toContain('s3cret');
});

test('a redirect is an error that names its target, and is not followed', async () => {
  const url = host.serve('/old', (_, response) => {
    response.writeHead(302, { location: '/target.json?key=s3cret' }).end();
  });

  expect(await validate(url)).toEqual({
    code: 1,
    out: `${url} error: The URL answers with a redirect (302) to ${host.origin}/target.json. Answer with the manifest itself, or use the URL where it is.

${url} has 1 error.
`,
    err: '',
  });
  expect(JSON.parse((await validate(url, '--format', 'json')).out)).toMatchObject([
    { path: '', line: 1, column: 1, code: 'MANIFEST_REDIRECTED', severity: 'error' },
  ]);
  expect(host.requests).not.toContain('/target.json?key=s3cret');
});

test('2 MB are too long for a manifest, and what is more than any manifest is not read', async () => {
  const url = host.serve('/long', { name: 'x'.repeat(2_000_000) });
  const endless = host.serve('/endless', (_, response) => {
    const write = () => {
      while (response.write(' '.repeat(65_536)));
    };
    response.on('drain', write);
    write();
  });

  expect((await validate(url)).out).toContain('The manifest is longer than 256 KiB.');
  expect(await validate(endless)).toEqual({
    code: 2,
    out: '',
    err: `${endless} cannot be read: it is longer than 4 MiB.\n`,
  });
});

describe('a URL cannot be read', () => {
  const page = { 'content-type': 'text/html; charset=utf-8' };

  test.each([
    [404, {}, 'it answers with status 404'],
    [503, page, 'it answers with status 503'],
    [200, page, 'it answers with a page (text/html), not with JSON'],
  ])('that answers %i with %j', async (status, headers, reason) => {
    const url = host.serve(`/${status}`, (_, response) => {
      response.writeHead(status, headers).end('<!doctype html>');
    });

    expect(await validate(url)).toEqual({
      code: 2,
      out: '',
      err: `${url} cannot be read: ${reason}.\n`,
    });
  });

  test.each(['', '{'])('that stops after %j', async (start) => {
    const url = host.serve('/silent', (_, response) => {
      if (start) response.write(start);
    });

    await expect(readManifestSource(url, 50)).rejects.toThrow(
      `${url} cannot be read: no answer came in time.`,
    );
  });

  test('where nothing listens', async () => {
    const closed = await startHttpHost();
    await closed[Symbol.asyncDispose]();

    expect(await validate(`${closed.origin}/manifest.json`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot be read: ECONNREFUSED: nothing listens there.'),
    });
  });

  test('with a user name, which is not shown', async () => {
    expect(await validate('http://ada:s3cret@localhost/manifest.json')).toEqual({
      code: 2,
      out: '',
      err: 'The URL must be an http(s) URL without a user name.\n',
    });
  });
});

describe('a file cannot be read', () => {
  test('that is a folder', async () => {
    expect(await validate(folder)).toMatchObject({
      code: 2,
      err: `${folder} cannot be read: it is a folder (EISDIR).\n`,
    });
  });

  test('that is not UTF-8', async () => {
    const path = join(folder, 'latin1.json');
    await writeFile(path, '{"name":{"de":"Menü"}}', 'latin1');

    expect(await validate(path)).toMatchObject({
      code: 2,
      err: `${path} cannot be read: it is not UTF-8 text.\n`,
    });
  });
});

test('a byte order mark is an error of the manifest', async () => {
  const path = join(folder, 'mark.json');
  await writeFile(path, '\uFEFF{}');

  expect((await validate(path, '--format', 'json')).out).toContain('JSON_BYTE_ORDER_MARK');
});
