/** Consents of customers: every change is a record, and the newest of a kind is the state. Pure. */
export const CONSENT_KINDS = ['TERMS', 'PRIVACY', 'MARKETING'] as const;
export type ConsentKind = (typeof CONSENT_KINDS)[number];
export const CONSENT_ACTIONS = ['AGREE', 'WITHDRAW'] as const;
export type ConsentAction = (typeof CONSENT_ACTIONS)[number];
export const CONSENT_PATHS = ['SIGNUP', 'SOCIAL_SIGNUP', 'MEMBER_LINK', 'RE_CONSENT', 'BUYER_CHANGE', 'SELLER_ACTION'] as const;
export type ConsentPath = (typeof CONSENT_PATHS)[number];

/** The texts of a store that customers agree to, as they are now. */
export interface Terms {
  readonly termsVersion: string | null;
  readonly privacyVersion: string | null;
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
}
/** A text that is agreed to. */
export interface AgreedText {
  readonly version: string | null;
  readonly url: string | null;
}
/** The version that was sent, else the store's; the store's URL. There is no text for MARKETING. */
export function agreedText(kind: ConsentKind, sent: string | undefined, terms: Terms): AgreedText {
  const [version, url] = {
    TERMS: [terms.termsVersion, terms.termsUrl] as const,
    PRIVACY: [terms.privacyVersion, terms.privacyUrl] as const,
    MARKETING: [null, null] as const,
  }[kind];
  return { version: sent ?? version, url };
}

/** How a buyer's own change comes about; null: they cannot make it, because a customer agrees to TERMS and PRIVACY. */
export function buyersPath(kind: ConsentKind, action: ConsentAction): ConsentPath | null {
  if (kind === 'MARKETING') return 'BUYER_CHANGE';
  return action === 'AGREE' ? 'RE_CONSENT' : null;
}

/** Whether a record would repeat the state: never given counts as withdrawn, and no version at all as the one that is there. */
export function isRepeated(
  latest: { readonly action: ConsentAction; readonly version: string | null } | null,
  next: { readonly action: ConsentAction; readonly version: string | null },
): boolean {
  if (!latest) return next.action === 'WITHDRAW';
  return latest.action === next.action && (next.version === null || next.version === latest.version);
}
