/** Limits of one process that are no settings: nobody needs others. */
export const policy = {
  /** JWTs of strangers that are verified at one time, half of them from one address. A tenth of a millisecond each. */
  verificationsAtOnce: 2_048,
  /** With more verified events and sessions waiting than this, JWTs of strangers are not verified. */
  decisionsAtOnce: 2_048,
  /** Session nonces that one address gets within a minute. Every page requests one, and a company may have one address. */
  noncesPerAddress: 6_000,
};
