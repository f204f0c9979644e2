/** A case of the battery is data: the host's actions and the adapter's expected result. */
import type { AdapterOptions, Issuer, PluginErrorCode, SaveAnswer } from '@dowel/adapter';
import type { AdapterName, Attack, AttackSource, SignerName, World } from '../world.ts';

/** The differences of a token from the platform's good one. */
export interface Forgery {
  header?: Record<string, unknown>;
  jku?: (origins: World['origins']) => unknown;
  /** `undefined` leaves a claim out. The function is given the good `iat`. */
  claims?: Record<string, unknown> | ((iat: number) => Record<string, unknown>);
  /** The good issuer is the tenant's origin. */
  iss?: (origins: World['origins']) => unknown;
  headerText?: (json: string) => string;
  payloadText?: (json: string) => string;
  signer?: SignerName | 'pss' | 'ec' | 'hmac' | 'nobody';
  hash?: string;
  /** Changes the finished token. */
  change?: (token: string) => unknown;
}

export interface Save extends Forgery {
  from?: AttackSource;
}

interface HostKit {
  world: World;
  jti: string;
  sign: (forgery: Forgery) => Promise<unknown>;
  send: (data: unknown) => void;
  /** Resolves when the message was posted by the other window. */
  attack: (attack: Attack) => Promise<void>;
}

export interface PluginKit {
  world: World;
  init: () => Promise<string>;
  /** Resolves with the bearer token, or with the code of the error. */
  openSession: () => Promise<string>;
  /** Undefined if the adapter has no such function. */
  setHeight: ((heightPx: number) => unknown) | undefined;
  observeHeight: () => void;
}

/** Issuers are a plain list, which each adapter reads in its own way. */
export type CaseOptions = Omit<AdapterOptions<unknown>, 'timeoutMs' | 'view' | 'issuers'> & {
  issuers?: readonly Issuer[];
};

/** `first` and `later`: the adapter resolves with the claims of the host's first or later answer. */
export type Expected = 'first' | 'later' | PluginErrorCode | (string & {});

export interface Case {
  /** A claim in the present tense. */
  name: string;
  expected: Expected;
  /** The host's answer. Default: the good token. */
  forgery?: Forgery;
  /** A good answer follows. */
  later?: boolean;
  /** Instead of answering with `forgery`. */
  act?: (host: HostKit) => Promise<void>;
  hellosIgnored?: number;
  options?: (world: World) => CaseOptions;
  /** Set for cases that end by the time-out. */
  timeoutMs?: number;
  page?: PageSettings;
  /** Instead of `init` alone; resolves with the outcome. */
  plugin?: (kit: PluginKit) => Promise<string>;
  /** Save requests after a good handshake in the view `config`; the outcome lists the answers. */
  saves?: Save[];
  onSave?: (signal: AbortSignal | undefined) => SaveAnswer<object> | Promise<SaveAnswer<object>>;
  /** An option or function that an adapter may lack. */
  needs?: Ability | undefined;
}

export type Ability =
  | 'setHeight'
  | 'parentOrigin'
  | 'integrity'
  | 'returned-answer'
  | 'options'
  | 'session';

export interface PageSettings {
  host?: 'tenant' | 'stranger' | 'sandboxed' | 'insecure' | 'plugin';
  /** The plug-in is another site than the host. */
  isFar?: boolean;
  csp?: 'strict' | 'no-keys' | undefined;
  /** The plug-in frame's `sandbox` attribute. */
  sandbox?: string;
  withoutSrc?: boolean;
  /** The script tag names the hash of the adapter's file. */
  integrity?: 'right' | 'wrong';
  clockOffsetMs?: number;
  /** No other case runs meanwhile: while a popup opens, Chromium loses messages between frames. */
  alone?: boolean;
  /** Timers of `AbortSignal.timeout` run this many times as fast. */
  timeLapse?: number;
}

export interface Group {
  title: string;
  cases: Case[];
}

interface Patience {
  /** The adapter's own limit, in cases that must not end by it. */
  timeoutMs: number;
  /** Extra time for an adapter beyond its own limit. */
  graceMs: number;
  /** A save without an answer in this time counts as ignored. */
  answerMs: number;
  /** A page without a report in this time is given up. */
  giveUpMs: number;
}

/** For the other adapters: they mostly hang, and are only counted. */
const short: Patience = { timeoutMs: 6000, graceMs: 6000, answerMs: 2000, giveUpMs: 14_000 };

/** Ours must pass on the busiest machine, so only a hang may take this long. */
export const patienceWith: Record<AdapterName, Patience> = {
  ours: { timeoutMs: 40_000, graceMs: 20_000, answerMs: 15_000, giveUpMs: 70_000 },
  naive: short,
  predecessor: short,
};

export function timeoutOf({ timeoutMs, expected }: Case, adapter: AdapterName): number {
  return timeoutMs ?? (expected === 'ERR6' ? 800 : patienceWith[adapter].timeoutMs);
}

/** Replaces one of the three parts. */
export function withPart(index: number, change: (part: string) => string) {
  return (token: string) =>
    token
      .split('.')
      .map((part, at) => (at === index ? change(part) : part))
      .join('.');
}

export function encodeText(text: string): string {
  return encodeBytes(new TextEncoder().encode(text));
}

export function encodeBytes(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
