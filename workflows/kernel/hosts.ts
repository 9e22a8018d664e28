/** Host names in the addresses that sellers and shops name (X23). Pure; `hostname` is what `URL` makes of it, in punycode. */

/** Letters, digits and hyphens between dots. A dot at the end is DNS's own way of writing a whole name. */
const NAME = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*\.?$/;
const RECEIVER_NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?$/;
/** `URL` lets no other brackets through. */
const IPV6 = /^\[[0-9a-f:.]+\]$/;
const LONGEST = 253;

/**
 * Whether a host is one that DNS and a policy of a browser can name: `URL` lets `a;b`, `a,b` and `a'b` pass, which would stand as they
 * are in a Content-Security-Policy. `underscore`: webhook addresses only.
 */
export const isHost = (hostname: string, { underscore = false }: { readonly underscore?: boolean } = {}): boolean =>
  IPV6.test(hostname) || (hostname.length <= LONGEST && (underscore ? RECEIVER_NAME : NAME).test(hostname));
