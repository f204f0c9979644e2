/** Threats B03, D02 and D03: no URL and no name leads into our own network. */
import type { LookupFunction } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AddressNotAllowedError, createGuardedFetch } from './guarded-fetch.ts';
import { createPrivateAddressCheck } from './private-address.ts';
import { type HttpHost, startHttpHost } from './testing/http-host.ts';

let sink: HttpHost;
let internal: HttpHost;

beforeAll(async () => {
  sink = await startHttpHost();
  internal = await startHttpHost();
});

afterAll(async () => {
  await sink[Symbol.asyncDispose]();
  await internal[Symbol.asyncDispose]();
});

/** A resolver that returns the given addresses, one list for each lookup, and then none. */
function resolveTo(...answers: string[][]): LookupFunction {
  return (_, options, callback) => {
    const addresses = answers.shift() ?? [];
    if (addresses.length === 0) callback(new Error('ENOTFOUND'), '', 0);
    else if (!options.all) callback(null, addresses[0] ?? '', 4);
    else
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  };
}

async function causeOf(fetching: Promise<unknown>): Promise<unknown> {
  const error = await fetching.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return (error as Error | undefined)?.cause;
}

describe('createPrivateAddressCheck', () => {
  const isPrivate = createPrivateAddressCheck();

  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    '2606:4700::1%eth0',
    'fec0::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::1',
    '3fff::1',
    '5f00::1',
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '[::1]',
  ])('D02: %s is not public', (address) => {
    expect(isPrivate(address)).toBe(true);
  });

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '192.167.255.255',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450::1',
    '2001:4860:4860::8888',
  ])('%s is public', (address) => {
    expect(isPrivate(address)).toBe(false);
  });
});

describe('createGuardedFetch', () => {
  test.each([
    'https://127.0.0.1',
    'https://127.1',
    'https://2130706433',
    'https://0x7f000001',
    'https://0177.0.0.1',
    'https://①②⑦.0.0.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:7f00:1]',
    'https://0.0.0.0',
    'https://169.254.169.254',
    'https://localhost',
  ])('D02: %s is refused before a connection', async (origin) => {
    const fetch = createGuardedFetch();

    const cause = await causeOf(fetch(`${origin}:${sink.port}/`));

    expect(cause).toBeInstanceOf(AddressNotAllowedError);
    expect(sink.connections()).toBe(0);
  });

  test.each([
    ['a private address', ['127.0.0.1']],
    ['one private address among public ones', ['93.184.215.14', '127.0.0.1']],
    ['a private address of the other family', ['93.184.215.14', '::1']],
    ['an IPv4-mapped address', ['::ffff:127.0.0.1']],
  ])('D03: a name with %s is refused before a connection', async (_, addresses) => {
    const fetch = createGuardedFetch({ lookup: resolveTo(addresses) });

    const cause = await causeOf(fetch(`https://keys.example.com:${sink.port}/`));

    expect(cause).toBeInstanceOf(AddressNotAllowedError);
    expect(sink.connections()).toBe(0);
  });

  test('D03: a name that changes its address is checked by the address of the connection', async () => {
    let questions = 0;
    const answers = resolveTo(['127.0.0.1'], ['127.0.0.1']);
    const lookup: LookupFunction = (hostname, options, callback) => {
      questions += 1;
      answers(hostname, options, callback);
    };
    const origin = `http://keys.example.com:${sink.port}`;
    const fetch = createGuardedFetch({ lookup, internalOrigins: [origin] });

    await fetch(`${origin}/`);

    expect(questions).toBe(1);
    expect(sink.requests).toEqual(['/']);
  });

  test('an error of the resolver is passed on', async () => {
    const fetch = createGuardedFetch({ lookup: resolveTo() });

    expect(await causeOf(fetch('https://keys.example.com/'))).toMatchObject({
      message: 'ENOTFOUND',
    });
  });

  test('T3: a resolver that never answers ends the connection before a token request’s time is over', async () => {
    const fetch = createGuardedFetch({ lookup: () => {} });
    // undici counts half seconds, too: the time for which a process is held up does not count.
    let halfSeconds = 0;
    const counting = setInterval(() => {
      halfSeconds += 1;
    }, 500);

    expect(await causeOf(fetch('https://keys.example.com/'))).toMatchObject({
      code: 'UND_ERR_CONNECT_TIMEOUT',
    });
    clearInterval(counting);
    expect(halfSeconds).toBeLessThan(2 * 5);
  });

  test('T3: an answer without headers is given up after the idle time', async () => {
    const url = internal.serve('/silent', () => {});
    const fetch = createGuardedFetch({ internalOrigins: [internal.origin], idleTimeoutMs: 100 });

    expect(await causeOf(fetch(url))).toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
  });

  test('an answer without headers is waited for if only a signal ends the request', async () => {
    const othersGaveUp = Promise.withResolvers<void>();
    const url = internal.serve('/slow', (_, response) => {
      void othersGaveUp.promise.then(() => response.end('{}'));
    });
    const silent = internal.serve('/silent', () => {});
    const guard = { internalOrigins: [internal.origin], idleTimeoutMs: 100 };
    const received = internal.requests.length;
    const slow = createGuardedFetch({ ...guard, headersTimeoutMs: 0 })(url);
    await expect.poll(() => internal.requests.length).toBeGreaterThan(received);

    expect(await causeOf(createGuardedFetch(guard)(silent))).toMatchObject({
      code: 'UND_ERR_HEADERS_TIMEOUT',
    });
    othersGaveUp.resolve();

    expect((await slow).status).toBe(200);
  });

  test('T3: an answer that stops in the middle is given up after the idle time', async () => {
    const url = internal.serve('/stalls', (_, response) => void response.writeHead(200).write('{'));
    const idleTimeoutMs = 100;
    const guard = { internalOrigins: [internal.origin], idleTimeoutMs, headersTimeoutMs: 0 };
    const fetch = createGuardedFetch(guard);

    const response = await fetch(url);

    expect(await causeOf(response.text())).toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' });
  });

  test('a form of Node’s own class is sent as a form', async () => {
    const received = Promise.withResolvers<{ type: string | undefined; body: string }>();
    const url = internal.serve('/form', (request, response) => {
      const type = request.headers['content-type'];
      void request.toArray().then((chunks) => {
        received.resolve({ type, body: Buffer.concat(chunks as Buffer[]).toString() });
        response.end('{}');
      });
    });
    const form = new FormData();
    form.set('name', 'value');

    await createGuardedFetch({ internalOrigins: [internal.origin] })(url, {
      method: 'POST',
      body: form,
    });

    const { type, body } = await received.promise;
    expect(type).toMatch(/^multipart\/form-data; ?boundary=/);
    expect(body).toContain('name="name"\r\n\r\nvalue');
  });

  test('requests to one origin share the connections that are allowed', async () => {
    const connectionsBefore = internal.connections();
    const url = internal.serve('/shared', {});
    const fetch = createGuardedFetch({
      internalOrigins: [internal.origin],
      connectionsPerOrigin: 1,
    });

    await Promise.all([1, 2, 3].map(async () => (await fetch(url)).text()));

    expect(internal.connections() - connectionsBefore).toBe(1);
  });

  test('B03: http is refused unless the origin is an internal one', async () => {
    const publicFetch = createGuardedFetch({ lookup: resolveTo(['93.184.215.14']) });
    const internalFetch = createGuardedFetch({ internalOrigins: [internal.origin] });

    expect(await causeOf(publicFetch('http://keys.example.com/'))).toBeInstanceOf(
      AddressNotAllowedError,
    );
    expect((await internalFetch(internal.serve('/keys', {}))).status).toBe(200);
  });

  test.each(['data:text/plain,x', 'blob:nodedata:1', 'file:///etc/passwd', 'about:blank'])(
    'B03: %s is refused, also where no connection is needed',
    async (url) => {
      const fetch = createGuardedFetch();
      for (const input of [url, new URL(url), new Request(url)]) {
        for (const init of [{}, { redirect: 'error' as const }]) {
          expect(await causeOf(fetch(input, init))).toBeInstanceOf(AddressNotAllowedError);
        }
      }
    },
  );

  test('an internal origin opens no other port', async () => {
    const connectionsBefore = sink.connections();
    const fetch = createGuardedFetch({ internalOrigins: [internal.origin] });

    expect(await causeOf(fetch(`${sink.origin}/`))).toBeInstanceOf(AddressNotAllowedError);
    expect(sink.connections()).toBe(connectionsBefore);
  });
});

test.each([NaN, -1, 2 ** 31])('a timeout of %s is refused when the fetch is created', (ms) => {
  expect(() => createGuardedFetch({ idleTimeoutMs: ms })).toThrow(/^idleTimeoutMs must .* not /);
  expect(() => createGuardedFetch({ headersTimeoutMs: ms })).toThrow(/^headersTimeoutMs must /);
});

test.each([NaN, 0, -1, 1.5])('%s connections per origin are refused', (count) => {
  expect(() => createGuardedFetch({ connectionsPerOrigin: count })).toThrow(
    /^connectionsPerOrigin must .* not /,
  );
});
