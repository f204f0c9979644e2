/**
 * The sender of a JWT before its signature is verified. It limits how much one stranger can make this process
 * fetch. It proves nothing.
 */
export interface Sender {
  /** An address that one stranger has: an IPv4 address, or the /64 of an IPv6 address. */
  address: string;
  /** A network in which one stranger can have many addresses: the /48 of an IPv6 address. */
  network: string;
  /** Whether an event from this address was verified recently. */
  readonly isKnown: boolean;
}
