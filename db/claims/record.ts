/** What a command writes into its claim besides what the machine decides. Text was passed by its id, several texts as JSON. */
import type { ClaimMessages } from '../../domain/claims/machine.ts';
import type { Inspection, Rejection } from '../../domain/claims/rules.ts';
import type { Command } from '../../workflows/kernel/messages.ts';
import type { Tx } from '../kernel/tx.ts';
import { consumeText } from '../runs/text.ts';
import type { Claim } from './entities.ts';

type Inputs = ClaimMessages['commands'];
type Columns = Partial<Claim>;

const RECORDS: { readonly [N in keyof Inputs]?: (tx: Tx, claim: Claim, input: Inputs[N]) => Promise<Columns> } = {
  hold: async (tx, _, { reasonId }) => ({ holdReason: await consumeText(tx, reasonId) }),
  reject: async (tx, _, { reason, explanationId }) => {
    const typed = await consumeTexts<Pick<Rejection, 'explanation' | 'evidenceImages'>>(tx, explanationId);
    return { rejection: { explanation: '', evidenceImages: [], ...typed, reason, rejectedAt: tx.at } };
  },
  collect: async (tx, _, { method, carrierCode = null, trackingNumberId }) => {
    const trackingNumber = await consumeText(tx, trackingNumberId);
    return { collection: { method, carrierCode, trackingNumber, registeredAt: tx.at, completedAt: null } };
  },
  completeCollection: async (tx, { quantity, collection }, input) => {
    const { soundQuantity = quantity, damagedQuantity = 0, missingQuantity = 0, inspectionId } = input;
    const typed = await consumeTexts<Pick<Inspection, 'note' | 'images'>>(tx, inspectionId);
    const inspection = { soundQuantity, damagedQuantity, missingQuantity, note: null, images: [], ...typed };
    return { inspection, ...(collection && { collection: { ...collection, completedAt: tx.at } }) };
  },
  redeliver: async (tx, { exchangeOptionId, variantId }, { optionId, carrierCode, trackingNumberId }) => {
    const trackingNumber = (await consumeText(tx, trackingNumberId)) ?? '';
    return { redelivery: { optionId: optionId ?? exchangeOptionId ?? variantId, carrierCode, trackingNumber, registeredAt: tx.at } };
  },
};

export const recordOf = async (tx: Tx, claim: Claim, { name, input }: Command<'claim'>): Promise<Columns> =>
  (await RECORDS[name]?.(tx, claim, input as never)) ?? {};

async function consumeTexts<T extends object>(tx: Tx, textId: string | undefined): Promise<T | null> {
  const text = await consumeText(tx, textId);
  return text === null ? null : (JSON.parse(text) as T);
}
