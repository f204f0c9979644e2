import type { KeyDocument } from '../signing-keys.ts';
import type { Issuer } from '../verify-token.ts';

/** Where the platform publishes the keys of its tenants. */
const platformKeyHost = 'https://certificates.plugins.coyoapp.com';
const anyIssuer: Issuer = { issuer: /.*/s };

/** The one list of trusted keys of a page. No key comes with the package. */
export class JwkStore {
  static #instance: JwkStore | undefined;
  #issuers: Issuer[] = [];
  #hosts: string[] = [platformKeyHost];

  static getInstance(): JwkStore {
    JwkStore.#instance ??= new JwkStore();
    return JwkStore.#instance;
  }

  /** Key documents may be loaded from the origin of this address. @throws TypeError for no address */
  addHost(url: string): void {
    this.#hosts.push(new URL(url).origin);
  }

  /** Issuers that match, anywhere, are verified with these keys only. */
  addJwk(test: RegExp | string, ...keys: KeyDocument[]): void {
    const { source, flags } = new RegExp(test);
    this.#issuers.push({
      issuer: new RegExp(`.*(?:${source}).*`, `s${flags.replace(/[gsy]/g, '')}`),
      keys,
    });
  }

  /** Forgets every key and host, the platform's too. */
  reset(): void {
    this.#issuers = [];
    this.#hosts = [];
  }

  /** What is trusted from now on. */
  trust(): { issuers: Issuer[]; jkuOrigins: string[] } {
    return { issuers: [...this.#issuers, anyIssuer], jkuOrigins: [...this.#hosts] };
  }
}
