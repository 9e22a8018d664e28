/** Which addresses a receiver may have (docs/contract.md#receivers): IPv4 by a deny list, IPv6 by default-deny outside 2000::/3. */
import { isIPv4, isIPv6 } from 'node:net';

const V4_DENIED = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
].map(parseV4);
const V6_ALLOWED = parseV6('2000::/3');
const V6_DENIED = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20', '2001:4:112::/48'].map(parseV6);

interface Range {
  readonly base: bigint;
  readonly shift: bigint;
}
const within = (value: bigint, { base, shift }: Range) => value >> shift === base >> shift;

/** True for an address that is part of the public internet; false for anything else, zone ids included. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !V4_DENIED.some((range) => within(v4(address), range));
  if (!isIPv6(address) || address.includes('%')) return false;
  const value = v6(address);
  return within(value, V6_ALLOWED) && !V6_DENIED.some((range) => within(value, range));
}

/** True for 127.0.0.0/8 and ::1, which only a development system may call. */
export const isLoopback = (address: string): boolean =>
  isIPv4(address) ? address.startsWith('127.') : isIPv6(address) && v6(address) === 1n;

function parseV4(range: string): Range {
  const [base = '', bits] = range.split('/');
  return { base: v4(base), shift: BigInt(32 - Number(bits)) };
}
function parseV6(range: string): Range {
  const [base = '', bits] = range.split('/');
  return { base: v6(base), shift: BigInt(128 - Number(bits)) };
}
function v4(address: string): bigint {
  return address.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}
function v6(address: string): bigint {
  const tail = /:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  const hex = tail ? address.replace(tail, `${(v4(tail) >> 16n).toString(16)}:${(v4(tail) & 0xffffn).toString(16)}`) : address;
  const [head = '', rest] = hex.split('::');
  const left = head.split(':').filter(Boolean);
  const right = (rest ?? '').split(':').filter(Boolean);
  const groups = rest === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
