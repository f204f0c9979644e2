/**
 * Bounds the connections of one address, so that one host that opens silent connections locks nobody
 * else out: an address has a limit, and the last fifth of all connections is kept for addresses that
 * have few. Row I01.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { parseSenderAddress } from './sender-address.ts';

export interface ConnectionLimits {
  /** In all. */
  maxConnections: number;
  /** Of one address. Infinity behind a reverse proxy, whose address all of them have. */
  connectionsPerAddress: number;
}

/** What is reported of a connection that is not taken. */
export interface RefusedConnection {
  /** An IPv4 address, or the first four groups of an IPv6 address: one host has all of that network. */
  address: string;
  /** Connections of this address, and of all. */
  ofAddress: number;
  inAll: number;
}

const reservedShare = 0.2;
/** As many as a browser opens, and some: such an address gets in while there is any place. */
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

  /** Without a limit per address every connection is the proxy's: the reserve would be nobody's. */
  function isRefused(ofAddress: number): boolean {
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

  // Before Node's own listener, which reads.
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
