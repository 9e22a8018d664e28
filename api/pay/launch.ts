/** How the pay page opens the provider's window, and what the page's policy has to allow for it (adapters: docs/contract.md#payments). */
import { getDomain } from 'tldts';
import type { Config, PaymentProviderConfig } from '../../db/kernel/config.ts';
import type { ProviderName } from '../../domain/payments/providers.ts';
import type { PageSources } from '../web/page.ts';
import type { Launch } from './pages.ts';
import { windowCall, type WindowRequest } from './window.ts';

export const providerConfig = ({ payments }: Pick<Config, 'payments'>, pg: ProviderName): PaymentProviderConfig =>
  pg === 'portone' ? payments.portone : payments.toss;

/** The provider's SDK opens the window; in development a form leads to it where there is no script. */
export function launchOf({ windowUrl, sdkUrl }: PaymentProviderConfig, request: WindowRequest): Launch {
  const { call, fields } = windowCall(request);
  const { returnUrl, failUrl } = request;
  return { sdk: { url: sdkUrl, call, returnUrl, failUrl }, form: windowUrl === null ? null : { action: windowUrl, fields } };
}

/** The provider's own subdomains, where its SDK connects to; none for an address of a machine. */
function subdomainsOf(origin: URL): readonly string[] {
  const domain = getDomain(origin.hostname);
  return domain === null || origin.protocol !== 'https:' ? [] : [`https://*.${domain}`];
}

/** An SDK is loaded, connects to its provider, and shows the window in a frame or leads there; a form leads to the development window. */
export function sourcesOf({ windowUrl, sdkUrl, baseUrl }: PaymentProviderConfig): PageSources {
  const sdk = new URL(sdkUrl);
  return {
    scripts: [sdk.origin],
    connections: [...new Set(["'self'", sdk.origin, new URL(baseUrl).origin, ...subdomainsOf(sdk)])],
    frames: ['https:'],
    images: ["'self'", 'https:'],
    forms: windowUrl === null ? ['https:'] : [new URL(windowUrl).origin],
  };
}
