/**
 * Who posted a JWT, as far as that is known before its signature holds. It bounds what one stranger can
 * make this process fetch; it proves nothing.
 */
export interface Sender {
  /** What one stranger has: an IPv4 address, or the /64 of an IPv6 address. */
  address: string;
  /** What one stranger can have many addresses of: the /48 of an IPv6 address. */
  network: string;
  /** Whether an event from this address was accepted lately. */
  readonly isKnown: boolean;
}
