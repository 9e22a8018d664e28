/** Webhook signatures. */

/** HMAC-SHA256 covers `{t}.{raw body}`; `t` is Unix seconds of the real clock. */
export const signedText = (seconds: number, body: string): string => `${seconds}.${body}`;

/** `t=…,v1=…[,v1=…]`, the new secret's value first. */
export const signatureHeader = (seconds: number, values: readonly string[]): string =>
  [`t=${seconds}`, ...values.map((value) => `v1=${value}`)].join(',');
