import type { Endpoint } from '../declare/endpoint.ts';
import { act } from './act.ts';
import { actAsBuyer } from './actAsBuyer.ts';
import { actAsGuest } from './actAsGuest.ts';
import { actOnGuestOrder } from './actOnGuestOrder.ts';
import { actOnMyOrder } from './actOnMyOrder.ts';
import { actOnOrder } from './actOnOrder.ts';
import { getFlowRun } from './getFlowRun.ts';
import { listFlowRuns } from './listFlowRuns.ts';
import { move } from './move.ts';
import { receiveEvent } from './receiveEvent.ts';
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
import { acceptAddressChange } from './acceptAddressChange.ts';
import { rejectAddressChange } from './rejectAddressChange.ts';
import { requestAddressChange } from './requestAddressChange.ts';
import { requestAddressChangeAsGuest } from './requestAddressChangeAsGuest.ts';

export const orders: readonly Endpoint[] = [
  list,
  get,
  listItems,
  getItem,
  flow,
  act,
  actOnOrder,
  move,
  receiveEvent,
  listFlowRuns,
  getFlowRun,
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
  actAsBuyer,
  actOnMyOrder,
  lookUp,
  actAsGuest,
  actOnGuestOrder,
  requestAddressChange,
  requestAddressChangeAsGuest,
  acceptAddressChange,
  rejectAddressChange,
];
