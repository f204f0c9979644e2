import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { exitCodeOf, reportSchema } from './report/report.ts';
import { type DoctorOptions, runDoctor } from './run-doctor.ts';
import { plainCall } from './testing/examine.ts';
import { type PlainBackEnd, startPlainBackEnd } from './testing/plain-back-end.ts';
import { readClaims, startBackEnd } from './testing/start-back-end.ts';

let backEnd: PlainBackEnd | undefined;

afterEach(async () => {
  await backEnd?.close();
  backEnd = undefined;
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

  const judged = report.results.filter(({ verdict }) => verdict !== 'skipped');
  expect(judged.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  expect(exitCodeOf(report)).toBe(0);
  expect(reportSchema.parse(report)).toEqual(report);
});

test('an origin of IPv6 is listened on there', async () => {
  const report = await examine({ origin: 'http://[::1]:0', only: ['reception.form'] });

  expect(report.origin).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect(report.control).toBeNull();
  expect(report.counts.pass).toBe(1);
});

test('a back end that trusts another platform is not judged', async () => {
  const report = await examine({ onListening: () => backEnd?.trust('https://platform.example') });

  const { control, origin: ours } = report;
  expect(control).toMatch(/Unknown key.*Does the back end trust keys of/);
  expect(control).toContain(`DOWEL_TRUST=${ours}=${ours}/certificates/`);
  expect(report.counts).toMatchObject({ pass: 2, fail: 0 });
  expect(exitCodeOf(report)).toBe(3);
});

test('a URL without a back end is not judged', async () => {
  const { manifestUrl, close } = await startPlainBackEnd();
  await close();

  const report = await runDoctor(manifestUrl, { origin, keyBits: 2048 });

  expect(report.control).toMatch(/manifest cannot be read/);
  expect(report.counts).toMatchObject({ open: 1, pass: 0, fail: 0, warn: 0 });
  expect(exitCodeOf(report)).toBe(3);
});

test('a back end that never answers an event is not judged, and the run ends soon', async () => {
  const { manifestUrl, close } = await startBackEnd(() => {});

  const report = await runDoctor(manifestUrl, { origin, keyBits: 2048 });

  expect(report.control).toBe('The back end did not answer install within 10 s.');
  expect(report.seconds).toBeLessThan(30);
  expect(exitCodeOf(report)).toBe(3);
  await close();
});

test('a back end that answers 429 to everything is not judged, and trust is no question', async () => {
  const { manifestUrl, close } = await startBackEnd((_, response) => {
    response.writeHead(429).end();
  });

  const report = await runDoctor(manifestUrl, { origin, keyBits: 2048 });

  expect(report.control).toBe(
    'The back end answered 429: it limits requests. Raise its limit and run again.',
  );
  expect(exitCodeOf(report)).toBe(3);
  await close();
});

test('a secret that is cut off in a note is not shown', async () => {
  const secret = 'x'.repeat(43);
  const call = { prepare: async () => async () => new Response(`${'.'.repeat(100)}${secret}`) };

  const report = await examine({ call, only: ['call.bearer'] });

  expect(report.callControl).toContain(`answered 200 ${'.'.repeat(100)}[secret]`);
});

test('a trace has the requests of a call, without their secrets', async () => {
  const report = await examine({ call: plainCall, only: ['call.bearer'], traces: true });

  const [result] = report.results;
  const calls = result?.exchanges?.filter(({ url }) => url.endsWith('/api/notify'));
  expect(calls?.[0]).toMatchObject({
    direction: 'out',
    method: 'POST',
    headers: { authorization: 'Bearer [secret]', 'content-type': 'application/json' },
    body: expect.stringMatching(/^\{"initJwt":"\[token\]",.*"message":"dowel doctor /),
    status: 200,
  });
  expect(JSON.stringify(result)).not.toContain('eyJ');
});

test('what a back end says stands in one line of the report, without commands for a terminal', async () => {
  const text = 'no\u001B[2J\u009B2J\u202E\r\nmust      refuse.noExp  forged\u2028line';
  const call = { prepare: async () => async () => new Response(text) };

  const report = await examine({ call, only: ['call.bearer'] });

  const shown = 'answered 200 no must      refuse.noExp  forged line';
  expect(report.callControl).toContain(shown);
  expect(report.results[0]?.note).toBe(report.callControl);
});

test('a back end that ends in the middle has no finding for it', async () => {
  const report = await examine({ onResult: () => void backEnd?.close() });

  expect(report.interrupted).toMatch(/^The back end does not answer any more: /);
  expect(report.counts).toMatchObject({ fail: 0, warn: 0, error: 0 });
  expect(exitCodeOf(report)).toBe(3);
});

test('a run that takes too long ends, and keeps what was seen', async () => {
  const { manifestUrl, close } = await startBackEnd(async (request, response) => {
    const { sub } = await readClaims(request);
    // The checks meet no answer, the control does.
    if (sub === 'install' && count++ > 0) return;
    response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
  });
  let count = 0;

  const report = await runDoctor(manifestUrl, { origin, keyBits: 2048, limitMs: 4_000 });

  expect(report.interrupted).toBe('The run took longer than 4 s.');
  expect(report.counts.pass).toBeGreaterThan(0);
  expect(report.seconds).toBeLessThan(30);
  await close();
});

test('a call begins in the folder of the manifest, without its query', async () => {
  const bases: string[] = [];
  const patient = await startPlainBackEnd();
  backEnd = patient;
  const call: DoctorOptions['call'] = {
    prepare: async ({ base }) => {
      bases.push(base);
      throw new Error('no session');
    },
  };

  await runDoctor(`${patient.manifestUrl}?key=/a`, {
    origin,
    keyBits: 2048,
    call,
    only: ['manifest.lint'],
    onListening: patient.trust,
  });

  expect(bases).toEqual([new URL(patient.manifestUrl).origin]);
});

test('a call that meets a limit of requests is no finding', async () => {
  let calls = 0;
  const call: DoctorOptions['call'] = {
    async prepare(page) {
      const send = await plainCall.prepare(page);
      // One of the control, one of each tenant, and one of the first tenant again.
      return (message) => {
        calls += 1;
        return calls > 4 ? Promise.resolve(new Response(null, { status: 429 })) : send(message);
      };
    },
  };

  const { results } = await examine({ call, only: ['tenants.apart'] });

  expect(results).toMatchObject([
    { verdict: 'open', note: expect.stringMatching(/429.*What was seen: .*tenant 2 did not/) },
  ]);
});

test('a run that is ended does not wait for calls that hang, and ends their requests', async () => {
  const hanging = await startBackEnd(() => {});
  const controller = new AbortController();
  let ended: Promise<unknown> = Promise.resolve();
  const call: DoctorOptions['call'] = {
    prepare: async (page) => () => {
      const answer = page.fetch(hanging.manifestUrl.replace('manifest.json', 'api/notify'));
      ended = answer.catch((error: Error) => error.name);
      controller.abort();
      return answer;
    },
  };

  const report = await examine({ call, signal: controller.signal });

  expect(report.interrupted).toBe('The run was ended.');
  expect(report.counts).toMatchObject({ pass: 0, fail: 0, error: 0 });
  expect(await ended).toBe('AbortError');
  await hanging.close();
});

test('a run that is ended uninstalls what it has installed, also if that takes long', async () => {
  const installed = new Set<string>();
  let installs = 0;
  let uninstalling = Promise.resolve();
  const { manifestUrl, close } = await startBackEnd(async (request, response) => {
    const { sub, tenantId, pluginId } = await readClaims(request);
    if (sub === 'install') installs += 1;
    if (sub === 'install') installed.add(`${tenantId} ${pluginId}`);
    if (sub === 'uninstall') {
      uninstalling = uninstalling.then(() => sleep(400));
      await uninstalling;
      installed.delete(`${tenantId} ${pluginId}`);
    }
    response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
  });
  const controller = new AbortController();

  const report = await runDoctor(manifestUrl, {
    origin,
    keyBits: 2048,
    signal: controller.signal,
    onResult: ({ id }) => void (id === 'manifest.valid' && controller.abort()),
  });

  expect(report.interrupted).toBe('The run was ended.');
  expect(report.results.length).toBeGreaterThan(40);
  expect(report.counts.open).toBeGreaterThan(20);
  expect(installs).toBeGreaterThan(0);
  expect([...installed]).toEqual([]);
  await close();
});

test('a manifest of this machine that sends events to another one is refused', async () => {
  const { manifestUrl, close } = await startBackEnd(() => {}, 'http://plugin.example');

  const run = runDoctor(manifestUrl, { origin, keyBits: 2048 });

  await expect(run).rejects.toMatchObject({
    code: 'NOT_OURS',
    message: expect.stringMatching(/^plugin\.example is not this machine/),
  });
  await close();
});

test('a back end on another machine is refused unless it is the caller’s own', async () => {
  const manifestUrl = 'https://plugin.example/manifest.json';

  await expect(runDoctor(manifestUrl, { origin })).rejects.toMatchObject({ code: 'NOT_OURS' });
  for (const url of ['plugin.example', 'http://ada:password@localhost/manifest.json']) {
    await expect(runDoctor(url, { origin })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.not.stringContaining('password'),
    });
  }
});
