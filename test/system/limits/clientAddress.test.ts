/** Whose request it is, behind proxies. */
import { describe, expect, test } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { countedAddress, wholeAddress } from '../../../api/web/clientAddress.ts';
import { readConfig } from '../../../db/kernel/config.ts';
import { parseNetworks } from '../../../db/kernel/networks.ts';
import { underTest } from '../../kernel/world.ts';

const trusted = parseNetworks('TRUSTED_PROXIES', '127.0.0.1/32, ::1/128,10.0.0.0/8 , 2001:db8:ffff::/48');
const from = (peer: string | undefined, forwarded?: string | string[], proxies = trusted) =>
  countedAddress(
    wholeAddress(
      { socket: { remoteAddress: peer }, headers: { 'x-forwarded-for': forwarded } } as unknown as Pick<
        IncomingMessage,
        'socket' | 'headers'
      >,
      proxies,
    ),
  );

describe('the client’s address', () => {
  test.each([
    ['203.0.113.9', '1.1.1.1', '203.0.113.9', 'a stranger’s header is ignored'],
    ['127.0.0.1', undefined, '127.0.0.1', 'a proxy that says nothing is the client'],
    ['127.0.0.1', '', '127.0.0.1', 'an empty header says nothing'],
    ['127.0.0.1', '1.1.1.1', '1.1.1.1', 'a trusted proxy is believed'],
    ['::ffff:127.0.0.1', '1.1.1.1', '1.1.1.1', 'a proxy that comes as IPv4 in IPv6 is the same proxy'],
    ['::1', '1.1.1.1', '1.1.1.1', 'so is one that comes by IPv6'],
    ['127.0.0.1', '9.9.9.9, 1.1.1.1', '1.1.1.1', 'what a client wrote itself stands before what the proxy adds'],
    ['127.0.0.1', '9.9.9.9, 1.1.1.1, 10.2.3.4', '1.1.1.1', 'proxies behind proxies are passed'],
    ['127.0.0.1', ['9.9.9.9', '1.1.1.1'], '1.1.1.1', 'several headers are one list'],
    ['127.0.0.1', '1.1.1.1, ,', '1.1.1.1', 'empty entries are none'],
    ['127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1', 'only proxies: the one that is furthest away'],
    ['127.0.0.1', '1.1.1.1:4711', '1.1.1.1', 'a port is no part of it'],
    ['127.0.0.1', '[2001:db8:1:2::5]:4711', '2001:db8:1:2::/64', 'with IPv6 neither'],
    ['127.0.0.1', '[2001:db8:1:2::5]', '2001:db8:1:2::/64', 'brackets neither'],
    ['127.0.0.1', '::ffff:1.2.3.4', '1.2.3.4', 'IPv4 in IPv6 is IPv4'],
    ['127.0.0.1', '::FFFF:102:304', '1.2.3.4', 'however it is written'],
    ['127.0.0.1', 'fe80::1%eth0', 'fe80:0:0:0::/64', 'a zone is no part of it'],
    ['127.0.0.1', 'unknown', '127.0.0.1', 'what is no address counts to the proxy that wrote it'],
    ['127.0.0.1', '1.1.1.1, garbage', '127.0.0.1', 'and nothing before it is believed'],
    ['127.0.0.1', 'garbage, 1.1.1.1', '1.1.1.1', 'what a client wrote does not matter'],
    ['127.0.0.1', '1.1.1.1, 10.0.0.7, 999.1.1.1, 10.0.0.2', '10.0.0.2', 'nonsense behind a second proxy counts to it'],
    ['127.0.0.1', '010.1.1.1', '127.0.0.1', 'octal is no address'],
    ['2001:db8:ffff::1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', 'a trusted network of IPv6'],
    ['2001:db8:1:2:ffff::1', undefined, '2001:db8:1:2::/64', 'IPv6 counts by /64'],
    ['2001:db8::7', undefined, '2001:db8:0:0::/64', 'shortened or not'],
    [undefined, '1.1.1.1', 'unknown', 'a peer that has gone'],
  ])('%s says %j: %s (%s)', (peer: string | undefined, forwarded: string | string[] | undefined, address: string, _why: string) => {
    expect(from(peer, forwarded)).toBe(address);
  });
  test('nobody is trusted by default', () => {
    const { trustedProxies } = readConfig({ ...underTest.env, TRUSTED_PROXIES: undefined });
    expect(from('127.0.0.1', '1.1.1.1', trustedProxies)).toBe('127.0.0.1');
  });
  test('addresses of one /64 count as one', () => {
    expect(from('2001:db8:a:b::1')).toBe(from('2001:db8:a:b:ffff:ffff:ffff:ffff'));
    expect(from('2001:db8:a:b::1')).not.toBe(from('2001:db8:a:c::1'));
  });
  test.each([
    '10.0.0.0/33',
    '10.0.0/8',
    'localhost',
    '::1/129',
    '10.0.0.1/',
    '10.0.0.1/x',
    '10.0.0.1;10.0.0.2',
    'fe80::1%eth0',
    '*',
    '1.2.3.4/-1',
  ])('a process does not start with TRUSTED_PROXIES=%s', (value) => {
    expect(() => readConfig({ ...underTest.env, TRUSTED_PROXIES: `127.0.0.1,${value}` })).toThrow(/TRUSTED_PROXIES/);
  });
});
