/** Bytes under way, and who has how many of them (docs/security.md#limits). */
import { expect, test } from '@jest/globals';
import { InFlight, keysOf } from '../../../api/web/inFlight.ts';
import { NO_STORE } from '../../../db/kernel/tenancy.ts';

const of = (sharer: string, id = 's', side: 'PUBLIC' | 'SELLER' = 'PUBLIC') => ({ sender: sharer, store: { id, side, sharer } });

test('bytes are counted for all of their keys or for none, and what is given back is forgotten', () => {
  const inFlight = new InFlight('body_bytes', { sender: 10, store: 15, process: 40 });
  const a = inFlight.take({ sender: 'a', store: null }, 10)!;
  expect(inFlight.take({ sender: 'a', store: null }, 1)).toBeNull();
  expect(inFlight.take(of('b', 's', 'SELLER'), 11)).toBeNull();
  const b = inFlight.take(of('b', 's', 'SELLER'), 7)!;
  expect(inFlight.take({ sender: 'c', store: null }, 6)).toBeNull();
  a();
  expect(inFlight.take({ sender: 'c', store: null }, 6)).not.toBeNull();
  b();
  expect(inFlight.size).toBe(2);
});

test('a dozen that fill a store leave room for another address of it, and its seller all', () => {
  const inFlight = new InFlight('body_bytes', { sender: 1000, store: 1000, process: 10_000 });
  const fill = (sharer: string, side: 'PUBLIC' | 'SELLER' = 'PUBLIC'): number => {
    let n = 0;
    while (inFlight.take(of(sharer, 's', side), 1)) n++;
    return n;
  };
  // A fifth of what the ones before have left.
  expect(['a', 'b', 'c'].map((sharer) => fill(sharer))).toEqual([200, 160, 128]);
  for (let n = 0; n < 9; n++) fill(`d${n}`);
  expect(fill('buyer')).toBeGreaterThan(10);
  // Half, and half of the rest.
  expect([fill('owner', 'SELLER'), fill('agent', 'SELLER')]).toEqual([500, 250]);
  expect(inFlight.take(of('a', 't'), 200)).not.toBeNull();
});

test('stores and strangers that fill a process leave room for another store, and for another stranger', () => {
  const inFlight = new InFlight('answer_bytes', { sender: 160, store: 640, process: 1920 });
  const fill = (keys: Parameters<InFlight['take']>[0]): number => {
    let n = 0;
    while (inFlight.take(keys, 1)) n++;
    return n;
  };
  for (let n = 0; n < 8; n++) fill({ sender: `address ${n}`, store: null });
  for (const store of ['s', 't', 'u']) for (let n = 0; n < 20; n++) fill(of(`${n}`, store));
  expect(inFlight.hasRoom(of('buyer', 'v'), 2)).toBe(true);
  expect(inFlight.hasRoom({ sender: 'address', store: null }, 2)).toBe(true);
});

test('a seller counts by principal, whoever was not let in by network, whatever token they have', () => {
  const keys = (state: object) => keysOf({ state, req: { socket: {} } } as never);
  const state = { senders: ['user/u/c'], network: '192.0.2.1', storeId: 'sto_a' };
  expect(keys({ ...state, seller: 'u' }).store).toEqual({ id: 'sto_a', side: 'SELLER', sharer: 'u' });
  expect(keys({ ...state, seller: null }).store).toEqual({ id: 'sto_a', side: 'PUBLIC', sharer: '192.0.2.1' });
  expect(keys({ ...state, storeId: NO_STORE }).store).toBeNull();
});
