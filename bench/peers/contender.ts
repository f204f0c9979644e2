/**
 * The interface of each token client in the benchmark. Each is set up as its own documentation
 * describes.
 */

export interface Setting {
  /** Ends with a slash; `api`, `token`, `trigger` and `slack/oauth.v2.access` are below it. */
  baseUrl: string;
  accessToken: string;
  refreshToken: string;
  /** Epoch milliseconds. */
  expiresAt: number;
  clientId: string;
  clientSecret: string;
  /** The folder for contenders that store tokens on disk; processes of one run share it. */
  folder: string;
  /** Connections to one origin, for clients with their own transport. */
  connections: number;
  /** The transport answers at once, without a network: what remains is the contender's own work. */
  isStubbed: boolean;
}

export interface Contender {
  /** One call to the API. @param path below the base URL, default `api`; for ours alone. @returns its status. */
  call(path?: string): Promise<number>;
  /** The same call by the same HTTP client with a fixed bearer token, without any token client. */
  bare(path?: string): Promise<number>;
  /** For clients that detect expiry only by the clock: moves the clock. */
  expire?(): void;
  /** Closes its connections between two runs. */
  close?(): Promise<void>;
}

export type CreateContender = (setting: Setting) => Contender | Promise<Contender>;

/** Reads the answer to its end, so that its connection is free again. */
export async function finish(response: Response): Promise<number> {
  if (response.body) await response.arrayBuffer();
  return response.status;
}

/** The `bare` of all contenders whose HTTP client is `fetch`. */
export function bareFetch({ baseUrl, accessToken }: Setting): (path?: string) => Promise<number> {
  return async (path = 'api') =>
    finish(
      await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${accessToken}` } }),
    );
}
