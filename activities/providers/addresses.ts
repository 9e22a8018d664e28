/** Which addresses a receiver may have (docs/contract.md#receivers): IPv4 by a deny list, IPv6 by default-deny outside 2000::/3. */
import { isIPv4 } from 'node:net';
import { isWithin, networksOf } from '../../db/kernel/networks.ts';

const V4_DENIED = networksOf([
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
]);
const V6_ALLOWED = networksOf(['2000::/3']);
const V6_DENIED = networksOf(['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20', '2001:4:112::/48']);
const V4_LOOPBACK = networksOf(['127.0.0.0/8']);
const V6_LOOPBACK = networksOf(['::1']);

/** True for an address that is part of the public internet; false for anything else, zones and IPv4 that is written as IPv6 included. */
export const isPublic = (address: string): boolean =>
  isIPv4(address) ? !isWithin(V4_DENIED, address) : isWithin(V6_ALLOWED, address) && !isWithin(V6_DENIED, address);

/** True for 127.0.0.0/8 and ::1, which only a development system may call; false for `::ffff:127.0.0.1`. */
export const isLoopback = (address: string): boolean => isWithin(isIPv4(address) ? V4_LOOPBACK : V6_LOOPBACK, address);
