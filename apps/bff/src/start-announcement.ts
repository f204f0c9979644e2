/**
 * Announces the progress of a start: `npm start` gets messages, a terminal gets lines on standard error.
 * Standard output contains only the log: collected logs must contain no link that signs in.
 * scripts/start.ts reads the messages.
 */
import type { EventAddress, SignInLink } from '@dowel/server';

export interface ReadyMessage {
  type: 'ready';
  url: string;
  /** The port on which it listens. A reverse proxy may be in front. */
  port: number;
  /** Undefined in production: `dowel sign-in` prints a link. */
  signIn: SignInLink | undefined;
  /** One line for each event, with the URL to which the platform posts it, and one for each rule of trust. */
  eventLines: string[];
  /** Warns about a missing setting; the start goes on. */
  warnings: readonly string[];
}

interface WaitingMessage {
  type: 'waiting';
  reason: string;
}

/** One line for each event that has an address in the manifest. */
export function describeEvents(addresses: readonly EventAddress[], eventPath?: string): string[] {
  const arrival = eventPath === undefined ? '' : `, which a proxy sends to ${eventPath} here`;
  const lines = addresses.map(({ event, url }) => `Receives ${event} at ${url.href}${arrival}`);
  if (lines.length > 0) return lines;
  return ['Receives no event: the manifest names neither lifecycle nor apiAccess.'];
}

export function announceReady(message: ReadyMessage): void {
  if (process.send) {
    process.send(message);
    return;
  }
  const { url, port, signIn, eventLines, warnings } = message;
  const signInLine = signIn
    ? `Sign in once, until ${signIn.until}, at ${signIn.url}`
    : 'To sign in, run "dowel sign-in" here: it prints a link';
  const lines = [
    ...warnings,
    `Dowel is at ${url}, and listens on port ${port}`,
    ...eventLines,
    signInLine,
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
}

/** The database is unavailable; the server does not listen until it is available. */
export function announceWaiting(reason: string): void {
  const message: WaitingMessage = { type: 'waiting', reason };
  if (process.send) process.send(message);
  else process.stderr.write(`Waiting: ${reason}\n`);
}
