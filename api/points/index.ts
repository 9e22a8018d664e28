import type { Endpoint } from '../declare/endpoint.ts';
import { adjust } from './adjust.ts';
import { get } from './get.ts';
import { getMine } from './getMine.ts';
import { getPolicy } from './getPolicy.ts';
import { getShownPolicy } from './getShownPolicy.ts';
import { listCustomerHistory } from './listCustomerHistory.ts';
import { listHistory } from './listHistory.ts';
import { listMine } from './listMine.ts';
import { replacePolicy } from './replacePolicy.ts';

export const points: readonly Endpoint[] = [
  getPolicy,
  replacePolicy,
  listHistory,
  get,
  listCustomerHistory,
  adjust,
  getShownPolicy,
  getMine,
  listMine,
];
