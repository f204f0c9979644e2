/**
 * Decides which addresses are on the public internet. A name with another address could make this
 * process call its own network (SSRF), so every address that is not clearly public counts as private.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IANA IPv4 special-purpose registry, multicast, and the reserved block. */
const privateIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/**
 * The block of global unicast addresses. It does not contain loopback, unique-local, link-local, multicast,
 * IPv4-mapped (::ffff:0:0/96) and NAT64 (64:ff9b::/96, 64:ff9b:1::/48) addresses.
 */
const globalIpv6 = '2000::/3';

/** Inside it: protocol assignments with Teredo, documentation, and 6to4, which embeds IPv4. */
const privateIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** Returns a function that decides whether an IP address (without brackets or zone) is not public. */
export function createPrivateAddressCheck(): (address: string) => boolean {
  const ipv4 = createBlockList(privateIpv4, 'ipv4');
  const ipv6 = createBlockList(privateIpv6, 'ipv6');
  const global = createBlockList([globalIpv6], 'ipv6');
  return (address) => {
    if (isIPv4(address)) return ipv4.check(address, 'ipv4');
    if (!isIPv6(address) || address.includes('%')) return true;
    // control D02
    return !global.check(address, 'ipv6') || ipv6.check(address, 'ipv6');
  };
}

function createBlockList(subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
