/** The predecessor's types. They are equally loose, so that its plug-ins compile unchanged. */

/** Verified claims; `ctx`, `cfg` and `stt` are objects. Times are seconds since the epoch. */
export interface JwtClaims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud?: string;
  readonly exp?: number;
  readonly nbf?: number;
  readonly iat?: number;
  readonly jti?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the predecessor's own type, which plug-ins rely on
  readonly [claims: string]: any;
}

/** The header of a token. */
export interface JwtHeader {
  readonly typ?: string;
  readonly alg?: string;
  /** Where the key is published. */
  readonly jku?: string;
}
