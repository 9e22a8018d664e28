/** The part of the walk (examples.ts) about the authoring of order flows: each operation of theirs once, but for the replay. */
type Walk = (id: string, method: string, path: string, request?: object) => Promise<Readonly<Record<string, unknown>>>;

const EXTENDED = { id: 'deliver', type: 'state', status: 'DISPATCHED', step: 'IN_DELIVERY', label: '배달' };
const GRAPH = {
  schema: 1,
  start: 'paid',
  states: [
    {
      id: 'paid',
      type: 'state',
      status: 'PAID',
      step: 'SELLER_PROCESSING',
      label: '접수 대기',
      deadlines: [{ key: 'late', after: 'P1D' }],
    },
    EXTENDED,
    { id: 'done', type: 'end', outcome: 'COMPLETED', label: '완료' },
    { id: 'refused', type: 'end', outcome: 'CANCELED', label: '거절' },
  ],
  actions: [
    { key: 'accept', by: 'seller', label: '접수' },
    { key: 'arrive', by: 'seller', label: '도착' },
  ],
  edges: [
    { id: 'accept', from: 'paid', to: 'deliver', on: { type: 'seller.action', key: 'accept' } },
    { id: 'late', from: 'paid', to: 'refused', on: { type: 'elapsed', deadline: 'late' } },
    { id: 'arrive', from: 'deliver', to: 'done', on: { type: 'seller.action', key: 'arrive' } },
  ],
};

/** Answers the id of a flow whose newest version is the graph above. */
export async function flows(sell: Walk): Promise<string> {
  await sell('flows.listPresets', 'GET', '/v1/flow-presets');
  await sell('flows.getPreset', 'GET', '/v1/flow-presets/manual-standard');
  await sell('flows.nodeTypes', 'GET', '/v1/flow-node-types');
  const connection = { url: 'https://flows.example.invalid/api', headerName: 'Authorization', headerValue: 'Bearer of-the-service' };
  await sell('flows.saveSecret', 'PUT', '/v1/commerce-flows/secrets/issuer', connection);
  await sell('flows.listSecrets', 'GET', '/v1/commerce-flows/secrets');
  await sell('flows.removeSecret', 'DELETE', '/v1/commerce-flows/secrets/issuer');
  const { flowId } = await sell('flows.create', 'POST', '/v1/commerce-flows', { key: 'errands', name: '심부름' });
  const path = `/v1/commerce-flows/${String(flowId)}`;
  await sell('flows.check', 'POST', `${path}/draft/check`);
  await sell('flows.saveDraft', 'PUT', `${path}/draft`, { graph: GRAPH });
  await sell('flows.getDraft', 'GET', `${path}/draft`);
  await sell('flows.publish', 'POST', `${path}/draft/publish`);
  await sell('flows.get', 'GET', path);
  await sell('flows.list', 'GET', '/v1/commerce-flows?size=3');
  await sell('flows.listVersions', 'GET', `${path}/versions`);
  await sell('flows.getVersion', 'GET', `${path}/versions/1`);
  await sell('flows.migrate', 'POST', `${path}/versions/1/migrate`, { limit: 100 });
  await sell('flows.simulate', 'POST', `${path}/draft/simulate`, {
    steps: [{ event: { type: 'start' } }, { event: { type: 'seller.action', key: 'accept' } }, { advance: 'P1D' }],
    context: { at: '2030-01-02T09:00:00+09:00', item: { quantity: 2, unitPrice: 15_000 } },
  });
  return String(flowId);
}
