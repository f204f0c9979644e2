/** Sends alerts by mail, as plain text. Nodemailer is loaded with the first message. */
import { isLoopback } from '@dowel/schema';
import type { Channel, SendResult, SentMessage } from './alert-channel.ts';
import { type AlertMessage, plainLine } from './alert-message.ts';
import { describeMailServer, type MailServer, type MailSettings } from './alert-settings.ts';

const connectMs = 10_000;
const longestSubject = 160;

export interface MailOptions {
  settings: MailSettings;
  publicUrl: string;
}

/** Creates the channel. It connects only when it sends a message. */
export function createMailChannel(options: MailOptions): Channel {
  const { server, to } = options.settings;
  return {
    name: 'mail',
    target: `${describeMailServer({ ...server, user: undefined })} → ${to.join(', ')}`,
    send: (message, signal) => sendMail(options, message, signal),
  };
}

async function sendMail(
  { settings, publicUrl }: MailOptions,
  message: SentMessage,
  signal: AbortSignal,
): Promise<SendResult> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(transportOf(settings.server));
  const close = () => transport.close();
  const aborted = new Promise<SendResult>((resolve) => {
    const giveUp = () =>
      resolve({
        isDelivered: false,
        text: 'The mail server did not answer in time.',
        answer: { kind: 'timed_out' },
      });
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
  });
  // The signal ends the connection, too: a mail that was given up must not arrive later.
  const mail = { ...composeMail(settings, message, publicUrl), signal };
  const sent = transport.sendMail(mail).then(
    ({ rejected, rejectedErrors }): SendResult => {
      if (rejected.length === 0) return accepted;
      const what = `${rejected.length} of ${settings.to.length} addresses`;
      return refusedFor(what, rejectedErrors?.[0]);
    },
    (error: unknown): SendResult => ({ isDelivered: false, ...explain(error) }),
  );
  return Promise.race([sent, aborted]).finally(close);
}

const accepted: SendResult = {
  isDelivered: true,
  text: 'The mail server accepted it.',
  answer: { kind: 'accepted' },
};

/** Another attempt would reach the other addresses once more. */
function refusedFor(what: string, failure: MailFailure = {}): SendResult {
  const { responseCode = 550, code = null } = failure;
  const text = `The mail server refused ${what} (${responseCode}).`;
  const answer = { kind: 'answered', status: responseCode, code } as const;
  return { isDelivered: false, isFinal: true, text, answer };
}

function transportOf({ host, port, isTls, user, password }: MailServer) {
  const url = new URL(`http://${host.includes(':') ? `[${host}]` : host}`);
  return {
    host,
    port,
    secure: isTls,
    // A password or a tenant's name never crosses the network as plain text.
    requireTLS: !isTls && !isLoopback(url),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    // Longer than an attempt: its signal decides.
    socketTimeout: 3 * connectMs,
    dnsTimeout: connectMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user !== undefined && { auth: { user, pass: password?.reveal() ?? '' } }),
  };
}

function composeMail({ from, to }: MailSettings, { id, body }: SentMessage, publicUrl: string) {
  const { data, text } = JSON.parse(body) as AlertMessage;
  const host = new URL(publicUrl).hostname;
  const thread = data.alertId === null ? undefined : `<${data.alertId}@${host}>`;
  return {
    from,
    to: [...to],
    subject: plainLine(`[Dowel] ${data.title}`).slice(0, longestSubject),
    text: `${text}\n`,
    messageId: `<${id}@${host}>`,
    ...(thread && { references: thread, inReplyTo: thread }),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

interface MailFailure {
  code?: string | null | undefined;
  responseCode?: number | undefined;
  command?: string | undefined;
}

/** Leaves out the server's own text, which may contain data that was sent to it. */
function explain(error: unknown): Pick<SendResult, 'text' | 'answer'> {
  const { code = null, responseCode, command } = error as MailFailure;
  if (responseCode === undefined) {
    const text = `The mail server cannot be reached${code ? ` (${code})` : ''}.`;
    return { text, answer: { kind: 'unreachable', code } };
  }
  const at = command && /^[A-Z ]{1,20}$/.test(command) ? ` at ${command}` : '';
  const text = `The mail server answered ${responseCode}${at}${code ? ` (${code})` : ''}.`;
  return { text, answer: { kind: 'answered', status: responseCode, code } };
}
