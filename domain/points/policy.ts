/** What a store gives points for, and on what terms they are used. */

export interface PointSettings {
  readonly reviewReward: { readonly enabled: boolean; readonly textPoint: number; readonly photoPoint: number };
  /** `rateBp`: hundredths of a percent. */
  readonly purchaseEarn: { readonly enabled: boolean; readonly rateBp: number };
  readonly use: {
    readonly enabled: boolean;
    readonly minBalance: number;
    readonly minAmount: number;
    readonly unit: number;
    readonly maxRatioBp: number;
    readonly includeDeliveryFee: boolean;
  };
  /** Null: the store has named none. */
  readonly expiryDays: number | null;
}
/** The operator's switches: whether there are points at all, and whether they may be used. */
export interface PointSwitches {
  readonly available: boolean;
  readonly useAvailable: boolean;
}
export interface PointPolicy extends PointSettings, PointSwitches {}

/** Of a store that has never written one. */
export const DEFAULT_SETTINGS: PointSettings = {
  reviewReward: { enabled: false, textPoint: 0, photoPoint: 0 },
  purchaseEarn: { enabled: false, rateBp: 0 },
  use: { enabled: false, minBalance: 0, minAmount: 0, unit: 1, maxRatioBp: 10_000, includeDeliveryFee: false },
  expiryDays: null,
};

type PatchOf<T> = { readonly [K in keyof T]?: T[K] extends object ? Partial<T[K]> : T[K] };
export type PointSettingsPatch = PatchOf<PointSettings>;

/** Leaf by leaf: what is not sent stays. */
export const merged = (settings: PointSettings, patch: PointSettingsPatch): PointSettings => ({
  reviewReward: { ...settings.reviewReward, ...patch.reviewReward },
  purchaseEarn: { ...settings.purchaseEarn, ...patch.purchaseEarn },
  use: { ...settings.use, ...patch.use },
  expiryDays: patch.expiryDays === undefined ? settings.expiryDays : patch.expiryDays,
});

/** Whoever earns points has to know when they expire. */
export const lacksExpiry = ({ reviewReward, purchaseEarn, expiryDays }: PointSettings): boolean =>
  (reviewReward.enabled || purchaseEarn.enabled) && expiryDays === null;
