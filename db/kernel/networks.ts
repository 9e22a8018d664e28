import { BlockList, isIP } from 'node:net';

const MAX_BITS = { 4: 32, 6: 128 } as const;

/** Parses addresses and networks separated by commas (`10.0.0.0/8, ::1`); empty: none. Throws an error that names the variable. */
export function parseNetworks(variable: string, text: string): BlockList {
  const networks = new BlockList();
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const version = address.includes('%') ? 0 : isIP(address);
    if (version !== 4 && version !== 6) throw malformed(variable, entry);
    const prefix = bits === undefined ? MAX_BITS[version] : Number(bits);
    if (prefix > MAX_BITS[version]) throw malformed(variable, entry);
    networks.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
  }
  return networks;
}

const malformed = (variable: string, entry: string) =>
  new Error(`${variable} must be addresses and networks, separated by commas: ${entry.slice(0, 100)} is neither.`);
