/** Receivers of alerts for tests: a real HTTP server that checks the signature, and a real mail server. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Secret } from '@dowel/schema';
import { SMTPServer } from 'smtp-server';
import { closeHost, listenOnLoopback } from '../../testing/loopback.ts';
import type { AlertMessage } from '../alert-message.ts';
import type { MailSettings, WebhookSettings } from '../alert-settings.ts';

interface Answer {
  status: number;
  headers?: Record<string, string>;
}

interface Received {
  id: string;
  isSigned: boolean;
  message: AlertMessage;
}

export interface WebhookReceiver extends AsyncDisposable {
  origin: string;
  settings: WebhookSettings;
  received: Received[];
  /** The answers to the next requests; then 204. Undefined: no answer. */
  answers: (Answer | undefined)[];
}

/** Starts an HTTP server on a free port and keeps the messages that it receives. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const key = randomBytes(32);
  const received: Received[] = [];
  const answers: (Answer | undefined)[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push(read(request, body, key));
      const answer = answers.length > 0 ? answers.shift() : { status: 204 };
      if (answer) response.writeHead(answer.status, answer.headers).end();
    });
  });
  const origin = await listenOnLoopback(server);
  return {
    origin,
    settings: {
      url: new Secret(`${origin}/hooks/path-of-the-receiver`),
      key: new Secret(`whsec_${key.toString('base64')}`),
    },
    received,
    answers,
    [Symbol.asyncDispose]: () => closeHost(server),
  };
}

/** Checks the signature as docs/operations.md describes it. */
function read({ headers }: IncomingMessage, body: string, key: Buffer): Received {
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const expected = Buffer.from(`v1,${mac}`);
  const given = Buffer.from(String(headers['webhook-signature']));
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
  return { id, isSigned, message: JSON.parse(body) as AlertMessage };
}

export interface MailReceiver extends AsyncDisposable {
  settings: MailSettings;
  /** The received mails, with their headers. */
  mails: string[];
  /** While true, mails are refused. */
  isRefusing: boolean;
  /** An address that has no mailbox. */
  unknown?: string;
  /** While true, a connection gets no answer to its mail. */
  isHanging: boolean;
  /** Mails that got no answer. */
  unanswered: number;
  /** Open connections. */
  countConnections(): number;
}

/** @param password required by the server; undefined: none. */
export async function startMailReceiver(password?: string): Promise<MailReceiver> {
  const receiver: MailReceiver = {
    settings: {
      server: {
        host: '127.0.0.1',
        port: 0,
        isTls: false,
        user: password && 'dowel',
        password: password === undefined ? undefined : new Secret(password),
      },
      from: 'dowel@example.com',
      to: ['desk@example.com', 'night@example.com'],
    },
    mails: [],
    isRefusing: false,
    isHanging: false,
    unanswered: 0,
    countConnections: () => server.connections.size,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const server = new SMTPServer({
    disabledCommands: password === undefined ? ['STARTTLS', 'AUTH'] : ['STARTTLS'],
    allowInsecureAuth: true,
    authOptional: password === undefined,
    closeTimeout: 10,
    onAuth({ password: given }, _session, callback) {
      if (given === password) callback(null, { user: 'dowel' });
      else callback(new Error(`No such user or password: ${given ?? ''}`));
    },
    onRcptTo({ address }, _session, callback) {
      const refusal = Object.assign(new Error('No such mailbox'), { responseCode: 550 });
      callback(address === receiver.unknown ? refusal : null);
    },
    onData(stream, _session, callback) {
      void text(stream).then((mail) => {
        if (receiver.isHanging) {
          receiver.unanswered += 1;
          return;
        }
        if (receiver.isRefusing) return callback(new Error('Mailbox is full'));
        receiver.mails.push(mail);
        callback();
      });
    },
  });
  // A client that leaves early is no failure of the test.
  server.on('error', () => {});
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  receiver.settings.server.port = (server.server.address() as AddressInfo).port;
  return receiver;
}
