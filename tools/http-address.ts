/** Which addresses a host may turn out to have. What a name resolves to is checked at each connection, which then goes there. */
import { BlockList, isIP, isIPv4 } from 'node:net';

export type AddressKind = 'public' | 'private' | 'loopback';

/** https://www.iana.org/assignments/iana-ipv4-special-registry and its sister for IPv6 */
const LOOPBACK_NETS = '127.0.0.0/8 ::1/128';
const PRIVATE_NETS = '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 fc00::/7';
/** Link-local ones among them, where clouds keep the credentials of their machines; forms that hide another address in them. */
const SPECIAL_NETS =
  '0.0.0.0/8 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 ' +
  '240.0.0.0/4 168.63.129.16/32 100.100.100.200/32 ::/128 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 ' +
  'fe80::/10 fec0::/10 ff00::/8 fd00:ec2::/32';

const listOf = (subnets: string): BlockList => {
  const list = new BlockList();
  for (const subnet of subnets.split(' ')) {
    const [address = '', prefix = ''] = subnet.split('/');
    list.addSubnet(address, Number(prefix), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return list;
};

const [LOOPBACK, PRIVATE, SPECIAL] = [listOf(LOOPBACK_NETS), listOf(PRIVATE_NETS), listOf(SPECIAL_NETS)];

/** Undefined for an address that no service is asked at: link-local, metadata, multicast, reserved, or none at all. */
export const kindOfAddress = (address: string): AddressKind | undefined => {
  const version = isIP(address);
  if (version === 0) return undefined;
  // `::ffff:127.0.0.1` counts as the address in it.
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (SPECIAL.check(address, family)) return undefined;
  if (LOOPBACK.check(address, family)) return 'loopback';
  if (PRIVATE.check(address, family)) return 'private';
  // The IPv4-compatible form is deprecated, and unicast is what begins with 001.
  if (version === 6 && !/^(?:[23][0-9a-f]{3}|::ffff:)/i.test(address)) return undefined;
  return 'public';
};
