/** The cost of tokens: issued and verified over HTTP, compared with bare jose. */
import { generateKeyPair, jwtVerify, SignJWT } from 'jose';
import type { System } from '../bin/dev/system.ts';
import type { CreatedStore } from '../db/identity/createStore.ts';
import { call, type Seller, token } from '../bin/dev/client.ts';
import { type Figures, load, processorMs } from './measure.ts';

/** Processor milliseconds of one call in the process that serves it; the inverse is its throughput per core. */
export interface Cost {
  readonly name: string;
  readonly ms: number;
  readonly perCore: number;
}

/** The cost of a token in the API, and of a bare signature in this process. */
export async function tokenCosts(system: System, store: CreatedStore): Promise<Cost[]> {
  const { privateKey } = await generateKeyPair('RS256');
  const sign = () => new SignJWT({ store_id: store.storeId }).setProtectedHeader({ alg: 'RS256' }).setExpirationTime('1h').sign(privateKey);
  const own = () => {
    const { user, system: kernel } = process.cpuUsage();
    return (user + kernel) / 1000;
  };
  const api = () => processorMs(system.processes().find(({ name }) => name === 'api')!.pid);
  return [
    await cost('bare jose: sign RS256', 2000, own, sign),
    await cost('API: client_credentials', 2000, api, () => token(system.api, store)),
    await cost('API: health', 2000, api, () => call(system.api, 'GET', '/health/live')),
  ];
}
async function cost(name: string, count: number, spent: () => number, work: () => Promise<unknown>): Promise<Cost> {
  const before = spent();
  await load(name, 16, count, work);
  const ms = (spent() - before) / count;
  return { name, ms: Math.round(ms * 1000) / 1000, perCore: Math.round(1000 / ms) };
}

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
