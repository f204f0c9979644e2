/** The state that the functions of one adapter share. One module changes each part; its name is in the comment. */
import type { HandshakeOptions, PluginPage, VerifiedInit } from './handshake.ts';
import type { NonceSource } from './nonce-from.ts';
import type { Defaulted } from './options.ts';
import type { Session, SessionOptions } from './session.ts';

export interface AdapterOptions<Config> extends HandshakeOptions, SessionOptions {
  /** The time limit for a handshake, including the key's download. Default 60,000 (spec §8). */
  timeoutMs?: number | undefined;
  /** `nonceFrom(…)`: asks the plug-in's back end for the nonce of each handshake. Default: a random one. */
  nonce?: NonceSource | undefined;
  /** Parses the stored configuration, such as a zod schema's `parse`. Gets `{}` if there is none. */
  parseConfig?: ((stored: unknown) => Config | Promise<Config>) | undefined;
}

export type ReadAdapterOptions = Defaulted<
  AdapterOptions<unknown>,
  'issuers' | 'nonce' | 'parentOrigin'
>;

export interface AdapterContext {
  readonly options: ReadAdapterOptions;
  readonly page: PluginPage;
  /** Aborts when the adapter is destroyed (life.ts). */
  readonly life: AbortController;
  readonly holders: Set<object>;
  isEnding?: boolean;
  /** The promise of `init` (init.ts). */
  initial?: Promise<unknown> | undefined;
  /** The newest token (greet.ts). */
  latest?: VerifiedInit | undefined;
  /** Until when the newest token can be used. */
  remainingMs: () => number;
  /** Whether the newest token has opened a session. A token may open only one. */
  isSpent?: boolean;
  renewal?: Promise<unknown> | undefined;
  user?: string | undefined;
  /** The session that is open or being opened (session.ts). */
  session?: Promise<Session> | undefined;
  /** The last requested height (set-height.ts). */
  heightPx?: number | undefined;
  /** The `jti` of every accepted save request, so that none is answered twice (save.ts). */
  readonly acceptedSaves: Set<string>;
  readonly listeners: Set<(diagnosis: string) => void>;
}

/** The part of the state that is needed to post to the verified page. */
export type PostContext = Pick<AdapterContext, 'page' | 'latest'>;

/** Aborts when the adapter is destroyed or the other signal aborts. */
export function withLife({ life }: AdapterContext, signal?: AbortSignal | null): AbortSignal {
  return signal ? AbortSignal.any([life.signal, signal]) : life.signal;
}

/** Calls every listener in a separate task. */
export function warn(
  { listeners }: Pick<AdapterContext, 'listeners'>,
  diagnosis: string | Error,
): void {
  for (const listener of listeners) setTimeout(listener, 0, `${diagnosis}`);
}

/** Posts to the verified page around this one. Before the handshake it posts nothing. */
export function post({ page, latest }: PostContext, message: object): void {
  if (latest) parent.postMessage({ iss: page.iss, ...message }, latest.hostOrigin);
}
