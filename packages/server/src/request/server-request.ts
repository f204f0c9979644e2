/** A request and its answer, independent of the framework that received the request. */

export interface ServerRequest {
  readonly method: string;
  /** The path below the base path, without the query; not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Undefined: there is no such header. The name is in lower case. */
  header(name: string): string | undefined;
  /** The sender's address, from the trusted proxy or the socket. */
  readonly address: string;
  /** The id of the request in the log and in the answer's header X-Request-Id. */
  readonly requestId: string;
  /** Aborted when the sender leaves before the answer. */
  readonly signal: AbortSignal;
  /**
   * Call it once.
   *
   * @throws ApiError `BODY_TOO_LARGE`, `BAD_REQUEST` when the connection ends early, or `BODY_ALREADY_READ`.
   */
  body(maxBytes: number): Promise<Uint8Array>;
  /** True after the refusal was logged: the request needs no other line. */
  isRecorded: boolean;
}

export interface ServerAnswer {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON; a string must already be JSON. Undefined: the answer has no body. */
  body?: object | string | undefined;
}
