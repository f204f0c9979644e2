/**
 * Bounds the connections per address, so that one host with silent connections does not lock others out.
 * Each address has a limit, and the last fifth of all connections is reserved for addresses with few.
 * Row I01.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { parseSenderAddress } from '../request/sender-address.ts';

export interface ConnectionLimits {
  /** The limit of all addresses together. */
  maxConnections: number;
  /** The limit per address. Infinity behind a reverse proxy: every connection has the proxy's address. */
  connectionsPerAddress: number;
}

/** Reports a refused connection. */
export interface RefusedConnection {
  /** An IPv4 address, or the first four groups of an IPv6 address: one host may own that whole network. */
  address: string;
  /** Open connections of this address, and in total. */
  ofAddress: number;
  inAll: number;
}

const reservedShare = 0.2;
/** More than a browser opens. An address with fewer connections is accepted while any place is free. */
const fewConnections = 16;

export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  onRefused: (refused: RefusedConnection) => void,
): void {
  const { maxConnections, connectionsPerAddress } = limits;
  const counts = new Map<string, number>();
  const unreserved = maxConnections * (1 - reservedShare);
  let inAll = 0;
  server.maxConnections = maxConnections;

  /** Without a limit per address there is no reserve: all connections come from the proxy. */
  function isRefused(ofAddress: number): boolean {
    // control I01
    if (ofAddress >= connectionsPerAddress) return true;
    const isScarce = connectionsPerAddress !== Infinity && inAll >= unreserved;
    return isScarce && ofAddress >= fewConnections;
  }

  function release(address: string): void {
    inAll -= 1;
    const count = (counts.get(address) ?? 1) - 1;
    if (count === 0) counts.delete(address);
    else counts.set(address, count);
  }

  // Runs before Node's own listener, which starts to read.
  server.prependListener('connection', (socket: Socket) => {
    const address = parseSenderAddress(socket.remoteAddress ?? '').address;
    const ofAddress = counts.get(address) ?? 0;
    if (isRefused(ofAddress)) {
      socket.destroy();
      onRefused({ address, ofAddress, inAll });
      return;
    }
    inAll += 1;
    counts.set(address, ofAddress + 1);
    socket.once('close', () => release(address));
  });
  server.on('drop', (dropped) => {
    const address = parseSenderAddress(dropped?.remoteAddress ?? '').address;
    onRefused({ address, ofAddress: counts.get(address) ?? 0, inAll });
  });
}
