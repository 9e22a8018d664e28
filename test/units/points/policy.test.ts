import { expect, test } from '@jest/globals';
import { DEFAULT_SETTINGS, lacksExpiry, merged } from '../../../domain/points/policy.ts';
import { Environment } from '../../../db/kernel/environment.ts';
import { readSwitches, switchesOf } from '../../../db/kernel/pointSwitches.ts';

test('a store without a policy gives nothing and lets nobody use points', () => {
  expect(DEFAULT_SETTINGS).toEqual({
    reviewReward: { enabled: false, textPoint: 0, photoPoint: 0 },
    purchaseEarn: { enabled: false, rateBp: 0 },
    use: { enabled: false, minBalance: 0, minAmount: 0, unit: 1, maxRatioBp: 10_000, includeDeliveryFee: false },
    expiryDays: null,
  });
});

test('only the leaves that are sent change', () => {
  const earning = merged(DEFAULT_SETTINGS, { purchaseEarn: { enabled: true }, expiryDays: 365 });
  const both = merged(earning, { purchaseEarn: { rateBp: 100 }, use: { unit: 10 } });
  expect(both).toEqual({
    ...DEFAULT_SETTINGS,
    purchaseEarn: { enabled: true, rateBp: 100 },
    use: { ...DEFAULT_SETTINGS.use, unit: 10 },
    expiryDays: 365,
  });
  expect(merged(both, { expiryDays: null }).expiryDays).toBeNull();
  expect(merged(both, {})).toEqual(both);
});

test('an earning needs an expiry, whatever is sent with it', () => {
  const on = { enabled: true };
  expect(lacksExpiry(DEFAULT_SETTINGS)).toBe(false);
  expect(lacksExpiry(merged(DEFAULT_SETTINGS, { use: on }))).toBe(false);
  for (const patch of [{ purchaseEarn: on }, { reviewReward: on }]) {
    expect(lacksExpiry(merged(DEFAULT_SETTINGS, patch))).toBe(true);
    const earning = merged(DEFAULT_SETTINGS, { ...patch, expiryDays: 30 });
    expect([lacksExpiry(earning), lacksExpiry(merged(earning, { expiryDays: null }))]).toEqual([false, true]);
  }
});

test('the operator’s switches are on, unless they say false; anything else is no switch', () => {
  expect(readSwitches({})).toEqual({ available: true, useAvailable: true });
  expect(readSwitches({ POINTS_AVAILABLE: 'false' })).toEqual({ available: false, useAvailable: true });
  expect(readSwitches({ POINTS_USE_AVAILABLE: 'false' })).toEqual({ available: true, useAvailable: false });
  const env = new Environment({ POINTS_AVAILABLE: 'no', POINTS_USE_AVAILABLE: '' });
  switchesOf(env);
  expect(() => env.check()).toThrow('POINTS_AVAILABLE must be true or false.\nPOINTS_USE_AVAILABLE must be true or false.');
});
