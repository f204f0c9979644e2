/**
 * A right back end in plain Node, as the doctor's own patient. A `mistake` makes one line of it wrong: mistakes.ts has
 * the list.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { events, manifestOf } from './manifest-of.ts';
import type { MistakeName } from './mistakes.ts';
import { type Claims, createPatient, type Patient } from './patient.ts';
import { notify } from './plain-calls.ts';
import { acceptEvent, keyOfInstallation } from './plain-events.ts';
import { readClaims, verifyJwt } from './plain-jwts.ts';
import { Refused } from './refused.ts';

export interface PlainOptions {
  /** The platform's origin: keys below `/certificates/` are trusted. Default: none, until {@link PlainBackEnd.trust}. */
  trusts?: string;
  /** None: a right back end. */
  mistake?: MistakeName | undefined;
  /** Default: any free one. */
  port?: number;
  /** Where it keeps its installations. Default: in memory. */
  file?: string | undefined;
}

export interface PlainBackEnd {
  readonly manifestUrl: string;
  trust(origin: string): Promise<void> | void;
  close(): Promise<void>;
}

const maxBytes = 64 * 1024;

export async function startPlainBackEnd({
  trusts = '',
  mistake,
  port = 0,
  file,
}: PlainOptions = {}): Promise<PlainBackEnd> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const patient = createPatient({ trusts, mistake, file });
  server.on('request', (request, response) => void answer(patient, origin, request, response));
  return {
    manifestUrl: `${origin}/manifest.json`,
    trust(origin) {
      patient.trusts = origin;
    },
    async close() {
      if (!server.listening) return;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  patient: Patient,
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { is } = patient;
  if (request.url === '/page.js') return answerModule(patient, origin, response);
  if (request.url?.startsWith('/page')) return answerPage(patient, response);
  const [status, body] = await route(patient, origin, { request, response }).catch(toRefusal);
  patient.keep();
  const isText = status >= 400 && is('reception.refusalsAreJson');
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' });
  response.end(JSON.stringify(body));
}

function toRefusal(error: unknown): [number, unknown] {
  const { status, message } = error instanceof Refused ? error : new Refused(500, 'A defect');
  return [status, { code: status, message }];
}

function answerPage({ is, trusts }: Patient, response: ServerResponse): void {
  const ancestors = is('page.framing') ? "'none'" : trusts;
  response.setHeader('content-type', 'text/html');
  response.setHeader('content-security-policy', `frame-ancestors ${ancestors}`);
  response.end(
    '<!doctype html><title>Plain</title><body><script type="module" src="/page.js"></script>',
  );
}

function answerModule({ is }: Patient, origin: string, response: ServerResponse): void {
  response.setHeader('content-type', 'text/javascript');
  response.setHeader('access-control-allow-origin', is('page.moduleCors') ? origin : '*');
  const iss = is('page.init') ? "'plain'" : "new URLSearchParams(location.search).get('src')";
  response.end(`addEventListener('message', ({ source }) => {
  if (source === parent) document.body.textContent = 'Plain';
});
parent.postMessage({ iss: ${iss}, sub: 'init', jti: String(Math.random()) }, '*');`);
}

async function route(
  patient: Patient,
  origin: string,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<[number, unknown]> {
  const { is, grants } = patient;
  const path = request.url?.replace(/\?.*/s, '') ?? '';
  if (path === '/manifest.json') return [200, describeSelf(patient, origin)];
  const text = await readBody(patient, request);
  if (path === '/api/notify') {
    await notify(patient, parseBody(text));
    return [200, is('leaking calls') ? { records: [...grants] } : {}];
  }
  const event = path.slice('/events/'.length);
  if (!path.startsWith('/events/') || !events.includes(event)) throw new Refused(404, 'Not found');
  const isJson = /json/.test(request.headers['content-type'] ?? '') && !is('reception.json');
  const token = isJson ? parseBody(text).token : new URLSearchParams(text).get('token');
  if (!token && is('reception.garbage')) return [201, {}];
  if (typeof token !== 'string') throw new Refused(400, 'There is no token');
  const verified = await verifyJwt(patient, token);
  const last = new URLSearchParams(text).getAll('token').at(-1);
  const claims = is('refuse.twoTokens') && last ? readClaims(last) : verified;
  await acceptEvent(patient, event, claims);
  const record = grants.get(keyOfInstallation(patient, claims));
  if (record && is('leaking headers')) response.setHeader('location', `/grants/${record.code}`);
  return [is('reception.form') ? 200 : 201, is('watch.secrets') ? { record } : {}];
}

function parseBody(text: string): Claims {
  try {
    return Object(JSON.parse(text)) as Claims;
  } catch {
    throw new Refused(400, 'It is no JSON');
  }
}

async function readBody({ is }: Patient, request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length <= maxBytes) continue;
    if (is('watch.alive')) process.exit(1);
    throw new Refused(413, 'The body is too large');
  }
  return text;
}

function describeSelf({ is }: Patient, origin: string): object {
  const url = is('manifest.valid') ? 'the server' : `${origin}/events/`;
  const manifest = manifestOf(url, `${origin}/page`);
  return is('manifest.lint') ? { ...manifest, entrypoints: [] } : manifest;
}
