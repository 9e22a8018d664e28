import type { Endpoint } from '../declare/endpoint.ts';
import { changeProvider } from './changeProvider.ts';
import { get } from './get.ts';
import { putPortOne } from './putPortOne.ts';
import { putTossPayments } from './putTossPayments.ts';
import { removeCredentials } from './removeCredentials.ts';
import { removeProvider } from './removeProvider.ts';
import { replace } from './replace.ts';
import { verify } from './verify.ts';

export const paymentSettings: readonly Endpoint[] = [
  get,
  replace,
  putTossPayments,
  putPortOne,
  changeProvider,
  removeProvider,
  removeCredentials,
  verify,
];
