/** A request and its answer as the core sees them, whatever framework received the request. */

export interface ServerRequest {
  readonly method: string;
  /** Below the base path, without the query; not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Undefined: there is no such header. The name is in lower case. */
  header(name: string): string | undefined;
  /** The sender's, as the trusted proxy wrote it, or the socket's. */
  readonly address: string;
  /** Names the request in the log and in the answer's header X-Request-Id. */
  readonly requestId: string;
  /** Aborted when the sender leaves before the answer. */
  readonly signal: AbortSignal;
  /**
   * Call it once.
   *
   * @throws ApiError `BODY_TOO_LARGE`, `BAD_REQUEST` when it breaks off, or `BODY_ALREADY_READ`.
   */
  body(maxBytes: number): Promise<Uint8Array>;
  /** Set by the record of a refusal: the log needs no other line. */
  isRecorded: boolean;
}

export interface ServerAnswer {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON; a string is JSON already. Undefined: the answer has no body. */
  body?: object | string | undefined;
}
