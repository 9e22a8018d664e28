/** The part of the walk (examples.ts) in which a seller reads what was paid and paid back. */
type Walk = (id: string, method: string, path: string, request?: unknown) => Promise<unknown>;

export async function sales(sell: Walk): Promise<void> {
  await sell('payments.list', 'GET', '/v1/payments?includeTest=true&status=completed&size=2');
  await sell('salesReport.get', 'GET', '/v1/sales-report?includeTest=true&groupBy=MONTH');
}
