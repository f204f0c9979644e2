/**
 * Announces the progress of a start: `npm start` gets messages, a terminal gets lines on standard error.
 * Standard output contains only the log: collected logs must contain no link that signs in.
 * scripts/start.ts reads the messages.
 */
import type { SignInCode } from './dashboard/admin-sign-in.ts';
import type { EventAddress } from './events/event-addresses.ts';

export interface ReadyMessage {
  type: 'ready';
  url: string;
  signIn: SignInLink;
  /** One line for each event, with the URL to which the platform posts it. */
  eventLines: string[];
  /** Warns about a missing setting; the start goes on. */
  warnings: string[];
}

/** A link that signs an operator in, once. */
export interface SignInLink {
  url: string;
  /** Such as `2026-01-31 23:59 UTC`. */
  until: string;
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
  const { url, signIn, eventLines, warnings } = message;
  const signInLine = `Sign in once, until ${signIn.until}, at ${signIn.url}`;
  const lines = [...warnings, `Dowel is at ${url}`, ...eventLines, signInLine];
  process.stderr.write(`${lines.join('\n')}\n`);
}

/** The database is unavailable; the server does not listen until it is available. */
export function announceWaiting(reason: string): void {
  const message: WaitingMessage = { type: 'waiting', reason };
  if (process.send) process.send(message);
  else process.stderr.write(`Waiting: ${reason}\n`);
}

export function linkOf(publicUrl: string, { code, expiresAt }: SignInCode): SignInLink {
  const until = `${new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return { url: `${publicUrl}/admin/sign-in#code=${code}`, until };
}

/** Shown in the same place as the first link. */
export function announceSignIn(signIn: SignInLink): void {
  if (process.send) process.send({ type: 'sign-in', signIn });
  else {
    process.stderr.write(
      `Sign in again, when this session has ended, until ${signIn.until}, at ${signIn.url}\n`,
    );
  }
}
