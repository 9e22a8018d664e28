import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP, SocketAddress } from 'node:net';
import { isWithin } from '../../db/kernel/networks.ts';

/**
 * The client's whole address: the peer's, or behind trusted proxies the last entry of `X-Forwarded-For` that is no trusted proxy. An entry
 * that is no address ends the search at the proxy that sent it, so that malformed entries do not evade a limit. IPv4-mapped IPv6 is IPv4.
 * Null when the client has disconnected.
 */
export function wholeAddress({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>, trusted: BlockList): string | null {
  let address = addressOf(socket.remoteAddress ?? '');
  if (address === null) return null;
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  while (forwarded.length > 0 && isWithin(trusted, address)) {
    const entry = forwarded.pop()!.trim();
    if (entry === '') continue;
    const next = addressOf(withoutPort(entry));
    if (next === null) break;
    address = next;
  }
  return address;
}

/** An address as rate limits count it (X9): IPv6 by its /64, written `2001:db8:0:1::/64`. */
export function countedAddress(address: string | null): string {
  return prefixOf(address, 64);
}

/** Whose clients share turns and bytes as one: an IPv4 address, or the /48 that a provider gives to a site (RFC 6177). */
export function networkOf(address: string | null): string {
  return prefixOf(address, 48);
}

function prefixOf(address: string | null, bits: 48 | 64): string {
  if (address === null) return 'unknown';
  return isIP(address) === 4
    ? address
    : `${groupsOf(address)
        .slice(0, bits / 16)
        .join(':')}::/${bits}`;
}

/** `1.2.3.4:80`, `[::1]:80`, `[::1]`; an IPv6 address without brackets has no port. */
const withoutPort = (entry: string): string => /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? entry.replace(/^([\d.]+):\d+$/, '$1');

/** An address in canonical notation, without a zone; null for anything else. */
function addressOf(text: string): string | null {
  const address = text.replace(/%.*$/, '');
  const version = isIP(address);
  if (version !== 6) return version === 4 ? address : null;
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)?.[1] ?? canonical;
}

/** The groups of an IPv6 address up to its `::`, filled with zeros: enough for its first 64 bits. */
function groupsOf(address: string): string[] {
  const [left = '', right] = address.split('::');
  const groups = left === '' ? [] : left.split(':');
  if (right === undefined) return groups;
  const rest = right === '' ? [] : right.split(':');
  return [...groups, ...Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0'), ...rest];
}
