/** Scopes are `{resource}:{r|rw}`; rw includes r (part A § Authentication). */
export const SCOPES = [
  'product:rw',
  'category:rw',
  'order:rw',
  'claim:rw',
  'inquiry:rw',
  'review:rw',
  'settlement:r',
  'analytics:r',
  'webhook:rw',
  'store:rw',
  'customer:rw',
  'promotion:rw',
  'flow:rw',
  'storefront:rw',
  'audit:r',
  'member:delegate',
] as const;
type Resource = (typeof SCOPES)[number] extends infer S ? (S extends `${infer R}:${string}` ? R : never) : never;
export type Scope = `${Resource}:${'r' | 'rw'}`;

/** Whether what a token holds covers a scope: `order:rw` covers `order:r`. */
export const covers = (held: readonly string[], wanted: string): boolean =>
  held.includes(wanted) || (wanted.endsWith(':r') && held.includes(`${wanted}w`));
