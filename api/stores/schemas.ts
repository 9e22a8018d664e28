import type { Store as Row } from '../../db/stores/entities.ts';
import { closed, Id, Type, Won } from '../kernel/schema.ts';

const Days = Type.Integer({ minimum: 0, maximum: 30, description: 'Days; 0 switches it off' });

export const Store = closed(
  {
    storeId: Id,
    storeCode: Type.String(),
    name: Type.String(),
    sandbox: Type.Boolean(),
    shippingPolicy: closed({ baseDeliveryFee: Won }),
    autoDeliverDays: Days,
    autoConfirmDays: Days,
  },
  { title: 'Store' },
);
export const StorePatch = closed({ autoDeliverDays: Type.Optional(Days), autoConfirmDays: Type.Optional(Days) }, { title: 'StorePatch' });

export const viewStore = (store: Row) => ({
  storeId: store.storeId,
  storeCode: store.storeCode,
  name: store.name,
  sandbox: store.sandbox,
  shippingPolicy: { baseDeliveryFee: store.baseDeliveryFeeWon },
  autoDeliverDays: store.autoDeliverDays,
  autoConfirmDays: store.autoConfirmDays,
});
