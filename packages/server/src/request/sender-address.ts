/**
 * Normalises the address of a sender. One host can own a whole IPv6 network, so the /64 counts as one
 * address, and the /48, with its 65,536 such networks, as one range.
 */
import { isIPv4, isIPv6 } from 'node:net';

export interface SenderAddress {
  /** An IPv4 address, the first four groups of an IPv6 address, or `unknown`. */
  address: string;
  /** The first three groups of an IPv6 address; otherwise the address. */
  network: string;
}

const mappedIpv4 = '0:0:0:0:0:ffff';

/** @param text from a socket or a proxy: with a port, brackets or a zone, or not an address at all */
export function parseSenderAddress(text: string): SenderAddress {
  const host = stripPort(text).replace(/%.*$/, '');
  if (isIPv4(host)) return { address: host, network: host };
  if (!isIPv6(host)) return { address: 'unknown', network: 'unknown' };
  const groups = expandIpv6(host);
  if (groups.slice(0, 6).join(':') === mappedIpv4) {
    const ipv4 = toIpv4(groups.slice(6));
    return { address: ipv4, network: ipv4 };
  }
  return { address: groups.slice(0, 4).join(':'), network: groups.slice(0, 3).join(':') };
}

/**
 * For people: `192.0.2.1` or `2001:db8:0:1::/64`; as a network, which many share, `192.0.2.0/24` or
 * `2001:db8:0::/48`.
 */
export function describeSender(
  { address, network }: SenderAddress,
  as: 'address' | 'network',
): string {
  if (address === 'unknown') return address;
  if (isIPv4(address)) return as === 'network' ? address.replace(/\d+$/, '0/24') : address;
  return as === 'network' ? `${network}::/48` : `${address}::/64`;
}

function stripPort(text: string): string {
  const [, bracketed, ipv4] = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/.exec(text) ?? [];
  return bracketed ?? ipv4 ?? text;
}

/** The eight groups, without leading zeros. */
function expandIpv6(host: string): string[] {
  const canonical = new URL(`http://[${host}]/`).hostname.slice(1, -1);
  const [before = [], after] = canonical
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  if (!after) return before;
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
}

function toIpv4(groups: readonly string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 255])
    .join('.');
}
