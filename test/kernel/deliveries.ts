/**
 * SQL that adds `n` copies of a webhook's first delivery, whose second attempt is due tomorrow, each with a run but without a workflow.
 */
export const manyWaiting = (webhookId: string, n: number): string[] => [
  `INSERT INTO webhook_delivery SELECT r.*
   FROM (SELECT * FROM webhook_delivery WHERE webhook_id = '${webhookId}' ORDER BY delivery_id LIMIT 1) d, generate_series(1, ${n}) n,
     LATERAL jsonb_populate_record(NULL::webhook_delivery, to_jsonb(d) || jsonb_build_object('delivery_id', d.delivery_id || lpad(n::text,
       5, '0'),
       'status', 'PENDING_RETRY', 'attempt_count', 1, 'next_attempt_at', d.created_at + interval '1 day')) r`,
  `INSERT INTO run (store_id, workflow_id, workflow_type, entity_id, wake_at, loaded_at, created_at)
   SELECT store_id, 'webhook/' || store_id || '/' || delivery_id, 'webhookDelivery', delivery_id, next_attempt_at, created_at, created_at
   FROM webhook_delivery WHERE webhook_id = '${webhookId}' ON CONFLICT DO NOTHING`,
];
