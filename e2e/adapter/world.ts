/** The addresses of the battery's servers. Every page contains them in a data block. */

export type SignerName = 'platform' | 'stranger' | 'short';

export interface World {
  origins: {
    /** The platform's page, which is the issuer of its tokens. It contains a frame per case, too. */
    tenant: string;
    /** The page of an untrusted site. */
    stranger: string;
    /** The tenant's server under a name that is not a secure context. */
    insecure: string;
    /** On the tenant's site, so that its frames need no further browser process. */
    plugin: string;
    /** The same server as another site, in another process. */
    farPlugin: string;
    /** The platform's key host. */
    keys: string;
    /** Also trusted, but its answers are late or never end. */
    slowKeys: string;
    /** A trusted origin without a server. */
    offlineKeys: string;
    /** An untrusted origin; counts its requests. */
    strangerKeys: string;
  };
  privateKeys: Record<SignerName | 'ec', JsonWebKey>;
  /** The answer of the platform's key host. */
  keyDocument: string;
}

export type AdapterName = 'ours' | 'naive' | 'predecessor';

/** A message between the pages of the battery, which adapters ignore. */
export interface HarnessMessage {
  harness: 'report' | 'ready' | 'done' | 'outcome' | 'attack';
  id?: string;
  report?: Report;
  outcome?: string;
  attack?: Attack;
}

export const attackSources = ['sibling', 'popup', 'child', 'self', 'nobody'] as const;
export type AttackSource = (typeof attackSources)[number];

export interface Attack {
  from: AttackSource;
  data: unknown;
}

/** The result of one case in one plug-in page. */
export interface Report {
  outcome: string;
  elapsedMs: number;
  limitMs: number;
  /** Text that must never appear, for any result. */
  problems: string[];
}

export function isHarnessMessage(data: unknown): data is HarnessMessage {
  return typeof data === 'object' && data !== null && 'harness' in data;
}
