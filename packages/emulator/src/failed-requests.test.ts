/** The texts that people read when a request of the platform fails, with real sockets. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InstallationFailedError } from './errors.ts';
import { acme, startWorld } from './testing/start-world.ts';

async function failureOf(promise: Promise<unknown>): Promise<InstallationFailedError> {
  const error = await promise.catch((reason: unknown) => reason);
  if (error instanceof InstallationFailedError) return error;
  throw new Error('It did not fail like an installation');
}

test('an answer is shown without parts of the event and without terminal commands', async () => {
  await using world = await startWorld();
  world.plugin.answers.install = (response) => {
    const body = 'token=eyJhbGciOiJSUzUxMiJ9.eyJzZWNyZXQiOiIxIn0.c2ln\n\u001b[2J<html>';
    response.writeHead(200, { 'content-type': 'text/html' }).end(body);
  };

  const { message } = await failureOf(world.install());

  expect(message).toMatch(/ with status 200, text\/html, "token=\[token\] \[2J<html>"$/);
});

/** Answers after the request has arrived: closing earlier may reset the connection. */
function answerOnce(socket: Socket, answer: string): void {
  socket.once('data', () => socket.end(answer));
}

describe('the reason of a failed request is shown', () => {
  const listening = async (onConnection: (socket: Socket) => void) => {
    const server = createServer(onConnection).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  async function messageFor(manifestUrl: string, timeoutMs = 30_000): Promise<string> {
    await using world = await startWorld({ timeoutMs });
    return (await failureOf(world.platform.install({ tenantId: acme, manifestUrl }))).message;
  }

  test('when nothing listens, with the URL and without its query', async () => {
    expect(await messageFor('http://127.0.0.1:2/manifest.json?key=s3cret')).toBe(
      'The manifest could not be read from http://127.0.0.1:2/manifest.json: ECONNREFUSED: nothing listens there.',
    );
  });

  test('when there is no such host', async () => {
    expect(await messageFor('http://name.invalid/manifest.json')).toMatch(
      /: (?:ENOTFOUND: there is no host with this name|EAI_AGAIN: the name cannot be looked up now)\.$/,
    );
  });

  test('when TLS is not spoken there', async () => {
    const address = await listening((socket) =>
      answerOnce(socket, 'HTTP/1.1 400 Bad Request\r\n\r\n'),
    );

    expect(await messageFor(`https://${address}/manifest.json`)).toMatch(
      /: E\w+: it does not speak TLS: write http, or set up https\.$/,
    );
  });

  test('when the connection is closed, and when the answer is not HTTP', async () => {
    const closing = await listening((socket) => socket.destroy());
    const odd = await listening((socket) => answerOnce(socket, 'SSH-2.0-OpenSSH\r\n'));

    expect(await messageFor(`http://${closing}/manifest.json`)).toMatch(
      /: \w+: the other side closed the connection\.$/,
    );
    expect(await messageFor(`http://${odd}/manifest.json`)).toMatch(/: the answer is not HTTP\.$/);
  });

  test('when no answer comes in time', async () => {
    const silent = await listening(() => undefined);

    expect(await messageFor(`http://${silent}/manifest.json`, 300)).toMatch(
      /: no answer came in time\.$/,
    );
  });

  test('when an event cannot be delivered', async () => {
    await using world = await startWorld();
    world.plugin.answers.install = (response) => void response.destroy();

    const { code, message } = await failureOf(world.install());

    expect(code).toBe('NO_RESPONSE');
    expect(message).toMatch(
      /^POST http:\/\/[\d.:]+\/nested\/lifecycle\/install failed \(\w+: the other side closed the connection\)$/,
    );
  });

  test('when a page answers in place of the manifest', async () => {
    const address = await listening((socket) =>
      answerOnce(
        socket,
        'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html><title>Sign in',
      ),
    );

    expect(await messageFor(`http://${address}/manifest.json`)).toMatch(
      /GET http:\/\/[\d.:]+\/manifest\.json was answered with status 200, text\/html, "<!doctype html><title>Sign in"\.$/,
    );
  });
});

test('with the format json every event comes in a JSON body (Spec §4.4)', async () => {
  await using world = await startWorld({ eventFormat: 'json' });

  await world.install();

  expect(world.plugin.events.map(({ event }) => event)).toEqual(['install', 'access_token']);
  expect(world.plugin.events.map(({ contentType }) => contentType)).toEqual([
    'application/json',
    'application/json',
  ]);
});
