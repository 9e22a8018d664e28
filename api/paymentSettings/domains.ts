/** Payment domains: host names of the public suffix list's registrable domains. */
import { domainToASCII } from 'node:url';
import { parse } from 'tldts';
import type { FieldError } from '../../domain/kernel/errors.ts';
import { isHost } from '../../domain/kernel/hosts.ts';
import type { Static, Fitting } from '../declare/schema.ts';
import type { SettingsPatch } from './schemas.ts';

/**
 * A host name in lower case and punycode; null when it is no domain of its own: a scheme, port, path, wildcard, address or public suffix.
 */
function normalize(text: string): string | null {
  if (/[^\p{L}\p{M}\p{N}.-]/u.test(text)) return null;
  const host = domainToASCII(text.toLowerCase());
  if (host === '' || host.endsWith('.') || !isHost(host) || host.split('.').some((label) => /^-|-$/.test(label))) return null;
  // `xn--a` passes domainToASCII unchanged, and is no name.
  if (!URL.canParse(`https://${host}`)) return null;
  const { domain, isIp } = parse(host, { allowPrivateDomains: true });
  return isIp || domain === null ? null : host;
}

export const domainProblems = ({ paymentDomains = [] }: Fitting<Static<typeof SettingsPatch>>): FieldError[] =>
  paymentDomains.flatMap((text, i) =>
    text === undefined || normalize(text) !== null
      ? []
      : [{ field: `paymentDomains[${i}]`, code: 'INVALID_DOMAIN', message: 'is no host name such as shop.example.com' }],
  );

/** Checked ones, each once. */
export const normalizeDomains = (texts: readonly string[]): string[] => [...new Set(texts.map((text) => normalize(text)!))];
