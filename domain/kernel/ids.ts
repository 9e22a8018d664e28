/** Generation of ids. Random bytes are a parameter, so that this file is pure. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The prefixes of ids (D9). They are for people: no code parses them. */
export type IdPrefix =
  | 'adc'
  | 'sto'
  | 'cli'
  | 'cat'
  | 'prd'
  | 'adr'
  | 'pul'
  | 'upl'
  | 'var'
  | 'gst'
  | 'chk'
  | 'att'
  | 'crd'
  | 'ord'
  | 'oit'
  | 'whk'
  | 'evt'
  | 'dlv'
  | 'run'
  | 'mov'
  | 'crt'
  | 'txt'
  | 'rfd'
  | 'usr'
  | 'lgn'
  | 'tok'
  | 'cus'
  | 'con'
  | 'inv'
  | 'req'
  | 'aud'
  | 'apr'
  | 'clm'
  | 'rev'
  | 'inq'
  | 'pth'
  | 'lot'
  | 'flw'
  | 'flr'
  | 'grp'
  | 'vis';

/** `prd_` and a UUIDv7 in base62, 22 digits: 48 bits of milliseconds, then 10 random bytes, so that ids sort by age. */
export function id(prefix: IdPrefix, at: number, random: Uint8Array): string {
  let value = BigInt(at) << 80n;
  for (let i = 0; i < 10; i++) value |= BigInt(random[i] ?? 0) << BigInt(8 * (9 - i));
  value = (value & ~(0xfn << 76n)) | (7n << 76n);
  value = (value & ~(0x3n << 62n)) | (2n << 62n);
  return `${prefix}_${base62(value, 22)}`;
}

/** The lower bound, in byte order, of ids with this prefix that are generated at `at` or later. */
export const lowestId = (prefix: IdPrefix, at: number): string => id(prefix, at, new Uint8Array(10));

/** `pay_` and 32 base62 characters with at least 160 random bits: knowledge of a payment id authorizes its buyer. */
export function paymentId(random: Uint8Array): string {
  let value = 0n;
  for (const byte of random) value = (value << 8n) | BigInt(byte);
  return `pay_${base62(value, 32)}`;
}

/** Order number: Korean day `YYMMDD` and 8 random digits. */
export function orderNo(day: string, random: number): string {
  return day + String(random % 100_000_000).padStart(8, '0');
}

/** Claim number: `C`, the Korean day `YYMMDD` and 8 random digits. */
export const claimNo = (day: string, random: number): string => `C${orderNo(day, random)}`;

/** The suffix of an item number: 01 … 99, then 100 …. */
export const position = (n: number): string => String(n).padStart(2, '0');

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}
