/**
 * What a start says to the person who waits for it: `npm start` gets messages, a terminal gets lines.
 * Scripts that start this program read them: scripts/start.ts.
 */
import type { EventAddress } from './event-addresses.ts';

export interface ReadyMessage {
  type: 'ready';
  url: string;
  signInUrl: string;
  /** One line for each event: where the platform posts it. */
  eventLines: string[];
  /** What this start lacks; it goes on all the same. */
  warnings: string[];
}

interface WaitingMessage {
  type: 'waiting';
  reason: string;
}

/** One line for each event that the manifest names an address for. */
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
  const { url, signInUrl, eventLines, warnings } = message;
  for (const warning of warnings) process.stderr.write(`${warning}\n`);
  const lines = [`Dowel is at ${url}`, ...eventLines, `Sign in once at ${signInUrl}`];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** The database is away: nothing listens until it is there. */
export function announceWaiting(reason: string): void {
  const message: WaitingMessage = { type: 'waiting', reason };
  if (process.send) process.send(message);
  else process.stderr.write(`Waiting: ${reason}\n`);
}

/** A link that signs an operator in, once. */
export function signInUrlOf(publicUrl: string, code: string | undefined): string {
  return `${publicUrl}/admin/sign-in#code=${code}`;
}

/** Where the first link was shown, and nowhere else. */
export function announceSignIn(publicUrl: string, code: string): void {
  const signInUrl = signInUrlOf(publicUrl, code);
  if (process.send) process.send({ type: 'sign-in', signInUrl });
  else process.stdout.write(`Sign in again, when this session has ended, at ${signInUrl}\n`);
}
