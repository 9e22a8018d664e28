/** The short forms of addresses, without their prefix. */
const MANAGEMENT = String.raw`webhooks|sales-report|analytics|settlements|store\/(?:api-(?:tokens|clients)|payment-(?:settings|providers))`;
const SHORT = [
  /^\/storefront\/v1(\/(?:checkout|auth|guest|payments|me\/points)(?:\/.*)?)$/,
  new RegExp(String.raw`^\/v1(\/(?:${MANAGEMENT})(?:\/.*)?)$`),
  // What follows a payment's id is the shop's.
  /^\/v1(\/payments)$/,
] as const;

/** A path and its short forms: `/checkout/…` for `/storefront/v1/checkout/…`, `/webhooks` for `/v1/webhooks`. */
export const aliases = (path: string): string[] => [path, ...SHORT.flatMap((short) => short.exec(path)?.[1] ?? [])];

const MANAGED = new RegExp(String.raw`^\/(?:(?:v1|me(?!\/points)|${MANAGEMENT})(?:\/|$)|payments\/?$)`);
/** Whether an address, known or not, is one of the management API. */
export const isManagement = (path: string): boolean => MANAGED.test(path);

const STOREFRONT = /^\/(?:(?:storefront|checkout|auth|guest|me\/points)(?:\/|$)|payments\/.)/;
/** Whether an address, known or not, is one of the storefront API. */
export const isStorefront = (path: string): boolean => STOREFRONT.test(path);
