/**
 * What the functions of one adapter share: its options, what it has learnt, and its end. Each part is
 * changed by one module, which is named beside it.
 */
import type { HandshakeOptions, PluginPage, VerifiedInit } from './handshake.ts';
import type { Defaulted } from './options.ts';
import type { Session, SessionOptions } from './session.ts';

export interface AdapterOptions<Config> extends HandshakeOptions, SessionOptions {
  /** For a handshake, the key's download included. Default 60,000 (spec §8). */
  timeoutMs?: number | undefined;
  /** Reads the stored configuration, such as a zod schema's `parse`; `{}` when there is none. */
  parseConfig?: ((stored: unknown) => Config | Promise<Config>) | undefined;
}

export type ReadAdapterOptions = Defaulted<
  AdapterOptions<unknown>,
  'issuers' | 'parentOrigin' | 'parseConfig'
>;

export interface AdapterContext {
  readonly options: ReadAdapterOptions;
  readonly page: PluginPage;
  /** Aborts when the adapter is destroyed (life.ts). */
  readonly life: AbortController;
  readonly holders: Set<object>;
  isEnding?: boolean;
  /** What `init` resolves with, or will (init.ts). */
  initial?: Promise<unknown> | undefined;
  /** The newest token (greet.ts). */
  latest?: VerifiedInit | undefined;
  /** How long the newest token still serves. */
  remainingMs: () => number;
  /** Whether the newest token has opened a session, which it may do once. */
  isSpent?: boolean;
  renewal?: Promise<unknown> | undefined;
  user?: string | undefined;
  /** The open session, or the one that is being opened (session.ts). */
  session?: Promise<Session> | undefined;
  /** What was asked for last (set-height.ts). */
  heightPx?: number | undefined;
  readonly listeners: Set<(diagnosis: string) => void>;
}

/** Aborts when the adapter is destroyed, or the other signal aborts. */
export function withLife({ life }: AdapterContext, signal?: AbortSignal | null): AbortSignal {
  return signal ? AbortSignal.any([life.signal, signal]) : life.signal;
}

/** Tells every listener, in a task of its own. */
export function warn({ listeners }: AdapterContext, diagnosis: string | Error): void {
  for (const listener of listeners) setTimeout(listener, 0, `${diagnosis}`);
}

/** Posts to the verified page around this one; before the handshake, to nobody. */
export function post({ page, latest }: AdapterContext, message: object): void {
  if (latest) parent.postMessage({ iss: page.iss, ...message }, latest.hostOrigin);
}
