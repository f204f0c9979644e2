/** What the servers of the battery are, told to every page in a data block of its HTML. */

export type SignerName = 'platform' | 'stranger' | 'short';

export interface World {
  origins: {
    /** The platform's page: the only one whose tokens name it as issuer. Holds a frame per case, too. */
    tenant: string;
    /** Anybody's page. */
    stranger: string;
    /** The tenant's server under a name that is no secure context. */
    insecure: string;
    /** Of the tenant's site, so that the browser needs no process of its own for its frames. */
    plugin: string;
    /** The same server as another site, in another process. */
    farPlugin: string;
    /** The platform's keys. */
    keys: string;
    /** As trusted, but its answers come late or never end. */
    slowKeys: string;
    /** Trusted, and nobody listens there. */
    offlineKeys: string;
    /** Trusted by nobody; counts who comes. */
    strangerKeys: string;
  };
  privateKeys: Record<SignerName | 'ec', JsonWebKey>;
  /** What the platform's key host answers. */
  keyDocument: string;
}

export type AdapterName = 'ours' | 'naive' | 'predecessor';

/** Between the pages of the battery; no adapter knows this shape. */
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

/** How one case ended in one plug-in page. */
export interface Report {
  outcome: string;
  elapsedMs: number;
  limitMs: number;
  /** What must never be seen, whatever the outcome. */
  problems: string[];
}

export function isHarnessMessage(data: unknown): data is HarnessMessage {
  return typeof data === 'object' && data !== null && 'harness' in data;
}
