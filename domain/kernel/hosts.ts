/** Host names in the URLs that sellers and shops give (X23). `hostname` is as `URL` normalizes it, in punycode. */

/** Letters, digits and hyphens between dots; a final dot marks a fully qualified name. */
const NAME = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*\.?$/;
const RECEIVER_NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?$/;
/** `URL` accepts nothing else in brackets. */
const IPV6 = /^\[[0-9a-f:.]+\]$/;
const LONGEST = 253;

/**
 * Whether a host is valid in DNS and in a Content-Security-Policy. `URL` accepts `a;b`, `a,b` and `a'b`, which would end up in the policy
 * unescaped. `underscore`: allowed in webhook URLs only.
 */
export const isHost = (hostname: string, { underscore = false }: { readonly underscore?: boolean } = {}): boolean =>
  IPV6.test(hostname) || (hostname.length <= LONGEST && (underscore ? RECEIVER_NAME : NAME).test(hostname));

/** Letters that `URL` converts to punycode one by one: Latin, kana, Han, Hangul. Names in other scripts have to be sent as punycode. */
const SCRIPTS = '\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u017f\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fa5\\uac00-\\ud7a3';
const BYTE = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const HEX = '[0-9A-Fa-f]{1,4}';
/** RFC 4291 without dots: eight groups, or fewer around `::`. */
const GROUPS = [
  `(?:${HEX}:){7}${HEX}`,
  `(?:${HEX}:){1,7}:`,
  ...[1, 2, 3, 4, 5, 6].map((after) => `(?:${HEX}:){1,${7 - after}}(?::${HEX}){1,${after}}`),
  `:(?:(?::${HEX}){1,7}|:)`,
];
const PORT = '[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]';
/** Port, path, query and fragment, without the characters that `URL` drops or rewrites: spaces, tabs and backslashes. */
const REST = `(?::(?:${PORT}))?(?:[/?#][^\\u0000-\\u0020\\u007f\\\\]*)?`;
const anyCase = (word: string) => Array.from(word, (letter) => `[${letter.toUpperCase()}${letter}]`).join('');

/**
 * ASCII labels, in all no longer than DNS allows. The last is no number: `URL` would parse the name as an IPv4 address in an unusual
 * notation.
 */
const labels = (more: string) => {
  const label = (longest: number) => `[A-Za-z0-9${more}-]{1,${longest}}[.]`;
  const before = `(?:${label(63)}){0,3}|${label(63)}(?:${label(30)}){3,4}|(?:${label(24)}){5,8}`;
  return `(?:${before})(?:[A-Za-z${more}-]|[1-9][0-9]{0,9}[A-Za-z-]|0[A-WYZa-wyz-])[A-Za-z0-9${more}-]{0,40}[.]?`;
};
/** Labels with letters of other scripts, short enough for DNS in punycode; no two hyphens in a row, which are reserved for punycode. */
const scripts = (more: string) => {
  const letter = `[A-Za-z0-9${SCRIPTS}${more}]`;
  return `(?:(?:${letter}{1,18}|${letter}{1,5}(?:-${letter}{1,5}){1,2})[.]){0,2}[A-Za-z${SCRIPTS}${more}]${letter}{0,17}[.]?`;
};
const ADDRESS = `(?:${BYTE}[.]){3}${BYTE}|\\[(?:${GROUPS.join('|')})\\]`;
/** A name, or an IP address in canonical notation. */
const host = (more: string) => `(?:${labels(more)}|${scripts(more)}|${ADDRESS})`;
const HTTPS = anyCase('https');
const LOCAL = `${anyCase('http')}://(?:${anyCase('localhost')}|127[.]0[.]0[.]1)`;

/**
 * An absolute URL that may be called: https, or http on a loopback address; no user info, a port from 1 to 65535. The OpenAPI documents
 * show these patterns and requests are validated against them: `URL` alone drops tabs, reads `\` as `/` and `0x7f.1` as 127.0.0.1.
 */
export const RETURN_URL = `^(?:${HTTPS}://${host('')}|${LOCAL})${REST}$`;
/** The same with `_` in names. */
export const RECEIVER_URL = `^(?:${HTTPS}://${host('_')}|${LOCAL})${REST}$`;
/** The same without query and fragment: what a path is appended to. */
export const BASE_URL = `^(?:${HTTPS}://${host('_')}|${LOCAL})(?::(?:${PORT}))?(?:/[^?#\\u0000-\\u0020\\u007f\\\\]*)?$`;
/** An origin as browsers send it, in punycode. */
export const ORIGIN = `^https?://(?:${labels('')}|${ADDRESS})(?::(?:${PORT}))?$`;
