/** Networks in CIDR notation, by Node's `BlockList`: nothing else here computes with the bits of an address. */
import { BlockList, isIP } from 'node:net';

const MAX_BITS = { 4: 32, 6: 128 } as const;

/** Addresses and networks, such as `10.0.0.0/8` and `::1`. Throws `malformed` of the first entry that is neither. */
export function networksOf(entries: readonly string[], malformed = neither): BlockList {
  const networks = new BlockList();
  for (const entry of entries) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const version = versionOf(address);
    if (version === null) throw malformed(entry);
    const prefix = bits === undefined ? MAX_BITS[version] : Number(bits);
    if (prefix > MAX_BITS[version]) throw malformed(entry);
    networks.addSubnet(address, prefix, FAMILIES[version]);
  }
  return networks;
}
const neither = (entry: string): Error => new Error(`${entry} is no address and no network.`);

/** Parses entries separated by commas (`10.0.0.0/8, ::1`); empty: none. Throws an error that names the variable. */
export const parseNetworks = (variable: string, text: string): BlockList =>
  networksOf(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((entry) => entry !== ''),
    (entry) => new Error(`${variable} must be addresses and networks, separated by commas: ${entry.slice(0, 100)} is neither.`),
  );

/**
 * Whether an address lies in one of the networks; false for what is no address, and for one with a zone. An IPv4 address that is written as
 * IPv6 (`::ffff:10.0.0.1`) lies in IPv4 networks too.
 */
export function isWithin(networks: BlockList, address: string): boolean {
  const version = versionOf(address);
  return version !== null && networks.check(address, FAMILIES[version]);
}

const FAMILIES = { 4: 'ipv4', 6: 'ipv6' } as const;
/** Null for what is no address, and for one with a zone (`fe80::1%eth0`), which `BlockList` would ignore. */
function versionOf(address: string): 4 | 6 | null {
  const version = address.includes('%') ? 0 : isIP(address);
  return version === 4 || version === 6 ? version : null;
}
