import type { Endpoint } from '../declare/endpoint.ts';
import { approve } from './approve.ts';
import { collect } from './collect.ts';
import { completeCollection } from './completeCollection.ts';
import { completeExchange } from './completeExchange.ts';
import { create } from './create.ts';
import { createAsGuest } from './createAsGuest.ts';
import { get } from './get.ts';
import { getMine } from './getMine.ts';
import { hold } from './hold.ts';
import { list } from './list.ts';
import { lookUp } from './lookUp.ts';
import { preview } from './preview.ts';
import { previewAsGuest } from './previewAsGuest.ts';
import { redeliver } from './redeliver.ts';
import { reject } from './reject.ts';
import { release } from './release.ts';
import { withdraw } from './withdraw.ts';
import { withdrawAsGuest } from './withdrawAsGuest.ts';

export const claims: readonly Endpoint[] = [
  list,
  get,
  approve,
  collect,
  completeCollection,
  redeliver,
  completeExchange,
  reject,
  hold,
  release,
  create,
  preview,
  getMine,
  withdraw,
  createAsGuest,
  previewAsGuest,
  lookUp,
  withdrawAsGuest,
];
