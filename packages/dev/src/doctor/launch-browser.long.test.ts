/** `dowel doctor --browser` in Chromium. */
import { startBackEnd, startPlainBackEnd } from '@dowel/conformance/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { callCommand } from '../testing/call-command.ts';
import { runDoctorCommand } from './run-doctor-command.ts';

async function examine(mistake?: 'page.init') {
  const backEnd = await startPlainBackEnd({ mistake });
  onTestFinished(backEnd.close);
  return run(backEnd.manifestUrl, backEnd.trust);
}

async function run(manifestUrl: string, onListening: (origin: string) => void) {
  const args = ['--browser', '--only', 'page.init', '--origin', 'http://localhost:0', '--json'];
  const command: typeof runDoctorCommand = (all, context) =>
    runDoctorCommand(all, { ...context, doctor: { keyBits: 2048, onListening } });
  const { code, out, err } = await callCommand(command, [manifestUrl, ...args], '.');
  const [result] = JSON.parse(out || '{"results":[]}').results;
  return { code, err, verdict: result?.verdict, note: result?.note };
}

test('a page that says init and shows something passes', async () => {
  expect(await examine()).toEqual({ code: 0, err: '', verdict: 'pass', note: '' });
});

test('init with another iss than src is a finding', async () => {
  expect(await examine('page.init')).toMatchObject({
    code: 0,
    verdict: 'warn',
    note: 'init came with the iss "plain", which is not src',
  });
});

test.each([
  ['throw new Error("broken")', 'open', /^No init came within 10 s\. The console has: .*broken/],
  [
    `parent.postMessage({ iss: new URLSearchParams(location.search).get('src'), sub: 'init', jti: '1' }, '*');
     localStorage.getItem('user')`,
    'warn',
    /^The page shows nothing after the answer\. The console has: .*localStorage/,
  ],
])('the page with %s is %s', async (script, verdict, note) => {
  const backEnd = await startBackEnd((request, response) => {
    const isPage = request.url?.startsWith('/page?');
    response.writeHead(isPage ? 200 : 201, {
      'content-type': isPage ? 'text/html' : 'application/json',
    });
    response.end(isPage ? `<!doctype html><body><script>${script}</script>` : '{}');
  });
  onTestFinished(backEnd.close);

  const result = await run(backEnd.manifestUrl, () => {});

  expect(result).toMatchObject({ verdict, note: expect.stringMatching(note) });
});

test('a browser that does not start ends with 3, and the line says why', async () => {
  vi.stubEnv('DOWEL_CHROMIUM', '/nowhere/chromium');
  onTestFinished(() => void vi.unstubAllEnvs());

  const { code, err } = await run('http://localhost:1/manifest.json', () => {});

  expect([code, err]).toEqual([3, expect.stringMatching(/^Chromium does not start: .*\/nowhere/)]);
});
