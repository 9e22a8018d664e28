import type { Endpoint } from '../kernel/endpoint.ts';
import { cancel } from './cancel.ts';
import { carriers } from './carriers.ts';
import { confirm } from './confirm.ts';
import { confirmMany } from './confirmMany.ts';
import { correctTracking } from './correctTracking.ts';
import { decide } from './decide.ts';
import { delivered } from './delivered.ts';
import { deliverMany } from './deliverMany.ts';
import { dispatch } from './dispatch.ts';
import { dispatchMany } from './dispatchMany.ts';
import { extend } from './extend.ts';
import { flow } from './flow.ts';
import { fulfill } from './fulfill.ts';
import { fulfillMany } from './fulfillMany.ts';
import { get } from './get.ts';
import { getItem } from './getItem.ts';
import { getMine } from './getMine.ts';
import { getTracking } from './getTracking.ts';
import { hold } from './hold.ts';
import { list } from './list.ts';
import { listItems } from './listItems.ts';
import { listMine } from './listMine.ts';
import { lookUp } from './lookUp.ts';

export const orders: readonly Endpoint[] = [
  list,
  get,
  listItems,
  getItem,
  flow,
  carriers,
  confirm,
  dispatch,
  delivered,
  fulfill,
  cancel,
  hold,
  correctTracking,
  getTracking,
  confirmMany,
  dispatchMany,
  deliverMany,
  fulfillMany,
  listMine,
  getMine,
  decide,
  extend,
  lookUp,
];
