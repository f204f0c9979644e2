import { parseAddress } from '../options.ts';
import { PluginError as CoreError } from '../plugin-error.ts';
import { downloadKeys, type KeyDocument } from '../signing-keys.ts';
import { type Issuer, type TrustedIssuers, trustIssuers } from '../trust-issuers.ts';
import type { DownloadedKeys } from '../verify-token.ts';
import { PluginError } from './plugin-error.ts';

/** A timer with a longer time fires at once. */
const maxTimerMs = 2 ** 31 - 1;
const anyIssuer: Issuer = { issuer: /.*/s };

/** The trusted keys and hosts at one moment, and the keys that were downloaded with them. */
export interface Trust {
  issuers: TrustedIssuers;
  jkuOrigins: string[];
  downloaded: DownloadedKeys;
}

/** The list of trusted keys of a page. The package contains no key. */
export class JwkStore {
  static #instance: JwkStore | undefined;
  #issuers: Issuer[] = [];
  /** Created from the issuers on first use, so that keys are imported once. */
  #trusted: TrustedIssuers | undefined;
  #hosts = new Set<string>();
  #downloaded: DownloadedKeys = new Map();

  static getInstance(): JwkStore {
    JwkStore.#instance ??= new JwkStore();
    return JwkStore.#instance;
  }

  /** Key documents may be loaded from the origin of this address. @throws TypeError for no address */
  addHost(url: string): void {
    const { origin } = parseAddress(url) ?? {};
    if (!origin) throw TypeError(`addHost: ${url} is no http(s) address`);
    this.#hosts.add(origin);
  }

  /** Issuers that contain a match are verified with these keys only. The first match counts. */
  addJwk(test: RegExp | string, ...keys: KeyDocument[]): void {
    const { source, flags } = new RegExp(test);
    this.#issuers.push({
      issuer: new RegExp(`.*(?:${source}).*`, `s${flags.replace(/[gsy]/g, '')}`),
      keys,
    });
    this.#trusted = undefined;
  }

  /**
   * The keys that were added for this issuer. Without any, the key at `jku`.
   *
   * @throws PluginError 1 no key and no address, 7 no usable key, 8 address at no added host
   */
  async getJwk(iss: string, jku?: string): Promise<CryptoKey[]> {
    const added = await this.trust().issuers.findKeys(iss).catch(refuse);
    if (added) return [...added.keys];
    if (!jku) return refuse(new CoreError('ERR1', 'No key was added for this issuer'));
    return [await this.loadJwk(jku)];
  }

  /**
   * The key at this address, loaded once for each page.
   *
   * @param timeoutMs default 60,000
   * @throws PluginError 7 no usable key, 8 address at no added host; TypeError for no time-out
   */
  async loadJwk(url: string, timeoutMs = 60_000): Promise<CryptoKey> {
    const downloaded = this.#downloaded;
    const signal = AbortSignal.timeout(readTimeout(timeoutMs));
    const keys =
      downloaded.get(url) ?? (await downloadKeys(url, [...this.#hosts], { signal }).catch(refuse));
    downloaded.set(url, keys);
    return keys[0] as CryptoKey;
  }

  /** Removes all keys and hosts, including the platform's. The next PluginAdapter adds the platform's hosts again. */
  reset(): void {
    this.#issuers = [];
    this.#trusted = undefined;
    this.#hosts = new Set();
    this.#downloaded = new Map();
  }

  /** The trust at this moment. @param issuers are believed instead of those with keys in the store */
  trust(issuers?: TrustedIssuers): Trust {
    this.#trusted ??= trustIssuers([...this.#issuers, anyIssuer]);
    return {
      issuers: issuers ?? this.#trusted,
      jkuOrigins: [...this.#hosts],
      downloaded: this.#downloaded,
    };
  }
}

/** @throws TypeError if it is not a number of milliseconds */
export function readTimeout(timeoutMs: number): number {
  if (typeof timeoutMs !== 'number' || !(timeoutMs >= 0)) {
    throw TypeError('timeoutMs is a number of milliseconds');
  }
  return Math.min(timeoutMs, maxTimerMs);
}

function refuse(cause: unknown): never {
  throw new PluginError(cause);
}
