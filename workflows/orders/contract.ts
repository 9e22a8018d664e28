/** Names and ids of the order-item run. */

/** `order-item/{storeId}/{orderItemNo}`: the number, because people look for it (D69). */
export const orderItemWorkflowId = (storeId: string, orderItemNo: string): string => `order-item/${storeId}/${orderItemNo}`;

/** What a seller may wish of an order item. All but the cancel are actions of its flow. */
export type OrderItemWish = 'confirm' | 'dispatch' | 'delivered' | 'fulfill' | 'cancel';
