/** The back end in Python that docs/wire.md explains, as a process, against the emulated platform. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createPlatform, type Platform } from '@dowel/emulator';
import type { Tenant } from '@dowel/emulator/control-api';
import { describe, expect, test } from 'vitest';
import { originOf, startServer, stopServer } from './kit.ts';

const program = fileURLToPath(new URL('../python/backend.py', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;

interface World extends AsyncDisposable {
  platform: Platform;
  tenantId: string;
  manifestUrl: string;
  /** A key document of the test, beside the platform's. */
  keyDocument: object;
  /** Sends a body to the path of an event. */
  post(
    event: string,
    body: string | URLSearchParams,
    contentType?: string,
  ): Promise<{ status: number; answer: unknown }>;
}

async function startWorld(): Promise<World> {
  const platformServer = await startServer();
  const origin = originOf(platformServer);
  const platform = createPlatform({ origin, keyBits: 2048 });
  const answerPlatform = platform.callback();
  platformServer.on('request', (request, response) => {
    if (request.url === '/certificates/own.jwk.json') {
      response.end(JSON.stringify(world.keyDocument));
    } else if (request.url === '/certificates/moved.jwk.json') {
      response.writeHead(302, { location: '/certificates/own.jwk.json' }).end();
    } else answerPlatform(request, response);
  });
  const child = spawn('python3', [program], {
    env: { PATH: process.env.PATH, TRUST: `${origin}=${origin}/certificates/`, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // One that hangs does not outlive its test for long.
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${await readPort(child)}`;
  const world: World = {
    platform,
    keyDocument: {},
    tenantId: platform.tenants[0]?.tenantId ?? '',
    manifestUrl: `${url}/manifest.json`,
    async post(event, body, contentType) {
      const headers = contentType === undefined ? {} : { 'content-type': contentType };
      const response = await fetch(`${url}/lifecycle/${event}`, { method: 'POST', headers, body });
      return { status: response.status, answer: await response.json() };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
      platform.close();
      await stopServer(platformServer);
    },
  };
  return world;
}

function signJwt(header: object, claims: object, key: KeyObject): string {
  const parts = [header, claims].map((part) => encode(JSON.stringify(part)));
  const signature = sign('sha512', Buffer.from(parts.join('.')), key).toString('base64url');
  return [...parts, signature].join('.');
}

const encode = (text: string) => Buffer.from(text).toString('base64url');

/** The claims of a JWT, not verified. */
function claimsOf(jwt: string) {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
}

/** The first line of the program's output. */
async function readPort({ stdout, stderr }: ChildProcess): Promise<string> {
  if (!stdout || !stderr) throw new TypeError('The output is not a pipe');
  const lines: string[] = [];
  createInterface(stderr).on('line', (line) => lines.push(line));
  for await (const line of createInterface(stdout)) return line;
  throw new Error(`The program did not start:\n${lines.join('\n')}`);
}

/** The JWT of the newest event of this name. */
function lastJwt({ platform }: World, event: string): string {
  const events = platform.exchanges({ kind: 'event', reveal: true });
  const found = events.findLast((each) => each.event === event);
  return new URLSearchParams(found?.body).get('token') ?? '';
}

/** The token requests of the tenant, without ids and times. */
function exchanges({ platform, tenantId }: World) {
  return platform
    .exchanges({ tenantId })
    .filter(({ kind }) => kind === 'code' || kind === 'refresh')
    .map(({ kind, status }) => ({ kind, status }));
}

const oneExchange = [{ kind: 'code', status: 200 }];
const refused = (code: number, message: unknown = expect.any(String)) => ({
  status: 400,
  answer: { code, message },
});

describe.skipIf(!hasPython)('the back end in Python (skipped where python3 is missing)', () => {
  test('is installed, and answers a second delivery without a second exchange', async () => {
    await using world = await startWorld();
    const { platform, tenantId, manifestUrl } = world;

    const { pluginId } = await platform.install({ tenantId, manifestUrl });
    const eventJwt = lastJwt(world, 'access_token');
    const forms = [
      await world.post('access_token', new URLSearchParams({ token: eventJwt })),
      await world.post('access_token', JSON.stringify({ token: eventJwt }), 'application/json'),
      await world.post('access_token', eventJwt, 'application/jwt'),
    ];

    expect(forms).toEqual(Array(3).fill({ status: 201, answer: {} }));
    expect(exchanges(world)).toEqual(oneExchange);

    await platform.uninstall({ tenantId, pluginId });

    const statuses = platform
      .exchanges({ tenantId, kind: 'event' })
      .map(({ event, status }) => [event, status]);
    expect(statuses).toEqual([
      ['install', 201],
      ['access_token', 201],
      ['uninstall', 201],
    ]);
  });

  test('refuses with JSON what the platform did not sign for this path', async () => {
    await using world = await startWorld();
    const { platform, tenantId, manifestUrl } = world;
    await platform.install({ tenantId, manifestUrl });
    const eventJwt = lastJwt(world, 'install');
    const [header = '', , signature = ''] = eventJwt.split('.');
    const claims = claimsOf(eventJwt);
    const tampered = encode(JSON.stringify({ ...claims, pluginId: 'other' }));
    const send = (event: string, jwt: string) =>
      world.post(event, new URLSearchParams({ token: jwt }));

    expect(await send('install', `${header}.${tampered}.${signature}`)).toEqual(
      refused(401, 'The signature is wrong'),
    );
    expect(await send('uninstall', eventJwt)).toEqual(
      refused(401, 'The event is for another path, or not of this time'),
    );
    const iat = claims.iat - 3_600;
    const expired = await platform.sign({ ...claims, iat, exp: iat + 60 });
    expect(await send('install', expired)).toEqual(
      refused(401, 'The event is for another path, or not of this time'),
    );
    const foreign = await platform.sign({ ...claims, iss: 'https://other.example' });
    expect(await send('install', foreign)).toEqual(
      refused(401, 'The issuer is not trusted with this key location'),
    );
    expect(await world.post('install', 'nothing', 'text/plain')).toEqual(refused(400));
  });

  test('sends no client secret to a foreign base_url', async () => {
    await using world = await startWorld();
    const { platform, tenantId, manifestUrl } = world;
    await platform.install({ tenantId, manifestUrl });
    const claims = claimsOf(lastJwt(world, 'access_token'));
    const client = { ...claims.client, authorization_code: 'another' };
    const post = async (change: object) => {
      const token = await platform.sign({ ...claims, client, ...change });
      return world.post('access_token', new URLSearchParams({ token }));
    };

    expect(await post({ base_url: 'https://evil.example' })).toEqual(
      refused(400, 'base_url is not allowed'),
    );
    for (const path of ['https://evil.example/token', '//evil.example/token', '../token', 'a?b']) {
      expect(await post({ client: { ...client, token_endpoint_url: path } })).toEqual(
        refused(400, 'The path is not relative to base_url'),
      );
    }
    expect(exchanges(world)).toEqual(oneExchange);
  });

  test.each([
    ['user name', (origin: string) => origin.replace('//', '//a@')],
    ['host', (origin: string) => `https://keys.example/?${origin}/certificates/x.jwk.json`],
    ['query', (origin: string) => `${origin}/certificates/x.jwk.json?y`],
    ['dot segment', (origin: string) => `${origin}/certificates/../control/keys`],
    ['folder', (origin: string) => `${origin}/control/keys`],
  ])('fetches no key from a location with a foreign %s', async (_, makeJku) => {
    await using world = await startWorld();
    const { platform, tenantId, manifestUrl } = world;
    await platform.install({ tenantId, manifestUrl });
    const [, payload = '', signature = ''] = lastJwt(world, 'install').split('.');
    const header = JSON.stringify({ alg: 'RS512', typ: 'JWT', jku: makeJku(platform.origin) });
    const token = [encode(header), payload, signature].join('.');

    expect(await world.post('install', new URLSearchParams({ token }))).toEqual(
      refused(401, 'The issuer is not trusted with this key location'),
    );
  });

  test('reads a key document where it lies, and follows no redirect to it', async () => {
    await using world = await startWorld();
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    world.keyDocument = { key: { ...publicKey.export({ format: 'jwk' }), alg: 'RS512' } };
    const { baseUrl, tenantId } = world.platform.tenants[0] as Tenant;
    const iat = Math.floor(Date.now() / 1000);
    const claims = { iss: baseUrl, sub: 'install', iat, exp: iat + 60, tenantId, pluginId: 'a' };
    const post = (file: string) => {
      const jku = `${world.platform.origin}/certificates/${file}`;
      const token = signJwt({ alg: 'RS512', jku }, claims, privateKey);
      return world.post('install', new URLSearchParams({ token }));
    };

    expect(await post('own.jwk.json')).toEqual({ status: 201, answer: {} });
    expect(await post('moved.jwk.json')).toEqual(refused(400));
  });
});
