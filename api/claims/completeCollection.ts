import { inspectionProblems, QUANTITIES } from '../../domain/claims/rules.ts';
import type { ClaimView } from '../../db/claims/views.ts';
import { invalid } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { imageProblems } from '../uploads/images.ts';
import { closed, Type } from '../declare/schema.ts';
import { Claim, Images } from './schemas.ts';
import { CLAIM_ERRORS, sendClaimCommand } from './sendCommand.ts';
import { CLAIM } from './subject.ts';

const Units = Type.Optional(Type.Integer({ minimum: 0, maximum: 999 }));
const fields = {
  soundQuantity: Units,
  damagedQuantity: Units,
  missingQuantity: Units,
  note: Type.Optional(Type.String({ maxLength: 1000 })),
  images: Type.Optional(Images),
};
const none = Object.fromEntries(Object.keys(fields).map((field) => [field, { not: {} }]));
const Inspection = closed(fields, {
  title: 'InspectionRequest',
  description: 'Without fields all units are sound. The three quantities add up to that of the claim; only sound units go back to stock.',
  'x-document': { anyOf: [{ required: [...QUANTITIES] }, { properties: none }] },
});

export const completeCollection = endpoint({
  id: 'claims.completeCollection',
  route: 'POST /v1/claims/{claimId}/collect/complete',
  summary: 'The goods are back: with an inspection, or all of them sound',
  access: 'store',
  scopes: ['claim:rw'],
  agent: 'direct',
  target: CLAIM,
  change: 'workflow',
  idempotent: true,
  body: Inspection,
  data: Claim,
  errors: CLAIM_ERRORS,
  check: async (inspection, deps, caller) => [
    ...inspectionProblems(inspection),
    ...(await imageProblems(inspection.images ?? [], deps, caller)),
  ],
}).handle(async (call) => {
  const { note = null, images = [], ...quantities } = call.body;
  const { soundQuantity, damagedQuantity = 0, missingQuantity = 0 } = quantities;
  const claim = await sendClaimCommand(call, ({ quantity }) => {
    if (soundQuantity === undefined) return { name: 'completeCollection', input: {} };
    if (soundQuantity + damagedQuantity + missingQuantity !== quantity)
      throw invalid('soundQuantity', 'INVALID', `Sound, damaged and missing units add up to ${quantity}.`);
    const texts = { inspectionId: JSON.stringify({ note, images }) };
    return { name: 'completeCollection', input: { soundQuantity, damagedQuantity, missingQuantity }, texts };
  });
  return claim as ClaimView;
});
