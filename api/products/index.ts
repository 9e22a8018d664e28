import type { Endpoint } from '../declare/endpoint.ts';
import { changeStock } from './changeStock.ts';
import { create } from './create.ts';
import { get } from './get.ts';
import { getDiscount } from './getDiscount.ts';
import { getFlow } from './getFlow.ts';
import { getOptions } from './getOptions.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import { readCalendar } from './readCalendar.ts';
import { remove } from './remove.ts';
import { replace } from './replace.ts';
import { replaceOptions } from './replaceOptions.ts';
import { setDiscount } from './setDiscount.ts';
import { setStatusMany } from './setStatusMany.ts';
import { writeCalendar } from './writeCalendar.ts';

export const products: readonly Endpoint[] = [
  create,
  list,
  get,
  replace,
  patch,
  remove,
  changeStock,
  setStatusMany,
  getOptions,
  replaceOptions,
  getDiscount,
  setDiscount,
  getFlow,
  writeCalendar,
  readCalendar,
];
