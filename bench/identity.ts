/** What tokens cost: issuing and checking them over HTTP, beside bare jose in the same run. */
import { generateKeyPair, jwtVerify, SignJWT } from 'jose';
import type { System } from '../bin/setup/system.ts';
import type { CreatedStore } from '../db/stores/create.ts';
import { call, type Seller, token } from '../test/kernel/http.ts';
import { type Figures, load } from './measure.ts';

export async function identity(system: System, store: CreatedStore, seller: Seller): Promise<Figures[]> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const sign = () =>
    new SignJWT({ use: 'store', store_id: store.storeId, scope: 'order:rw' })
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt' })
      .setExpirationTime('1h')
      .sign(privateKey);
  const signed = await sign();
  const open = () => call(system.api, 'GET', '/health/live');
  return [
    await load('bare jose: sign RS256', 16, 2000, sign),
    await load('bare jose: verify RS256', 16, 8000, () => jwtVerify(signed, publicKey)),
    await load('token: client_credentials', 1, 200, () => token(system.api, store)),
    await load('token: client_credentials', 16, 2000, () => token(system.api, store)),
    await load('request without a token: health', 16, 2000, open),
    await load('request with a token: carriers', 16, 2000, () => seller.call('GET', '/v1/carriers')),
  ];
}
