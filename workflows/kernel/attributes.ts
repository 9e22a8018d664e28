/** The search attributes of every run, as an operator filters by them in Temporal UI. */
import { defineSearchAttributeKey } from '@temporalio/common';

export const storeId = defineSearchAttributeKey('StoreId', 'KEYWORD');
export const orderNo = defineSearchAttributeKey('OrderNo', 'KEYWORD');
export const entityStatus = defineSearchAttributeKey('EntityStatus', 'KEYWORD');
export const nextDeadline = defineSearchAttributeKey('NextDeadline', 'DATETIME');

export const searchAttributes = [storeId, orderNo, entityStatus, nextDeadline] as const;
