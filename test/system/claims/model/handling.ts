/** What sellers do with a claim, and how its buyer takes it back: who may do what in each status (docs/contract.md#claims). */
import { approve, close, end, viewOf } from './filing.ts';
import { type Action, type Answer, type Claim, type Line, refuse, type Shop } from './state.ts';

type ClaimAction = Extract<Action, { readonly claimId: string }>;
type Of<D extends ClaimAction['do']> = Extract<ClaimAction, { readonly do: D }>;
interface Scene {
  readonly shop: Shop;
  readonly claim: Claim;
  readonly line: Line;
}

export function handle(shop: Shop, action: ClaimAction): Answer {
  const claim = shop.claims.find(({ claimId }) => claimId === action.claimId)!;
  if (action.do === 'withdraw' && action.isStranger) refuse('CLAIM_NOT_FOUND', 404);
  if (isMalformed(claim, action)) refuse('VALIDATION_FAILED', 400);
  const carryOut = HANDLERS[action.do] as (scene: Scene, action: ClaimAction) => Answer;
  return carryOut({ shop, claim, line: shop.lines[claim.line]! }, action);
}

/** Refused whatever the claim's status is. */
function isMalformed({ quantity }: Claim, action: ClaimAction): boolean {
  if (action.do === 'reject') return action.explanation.length < 10;
  if (action.do === 'collect') return action.method === 'SELLER_PICKUP' && action.carrierCode === undefined;
  if (action.do === 'hold') return action.days !== undefined && (action.days <= 0 || action.days > 7);
  if (action.do !== 'collect/complete' || !action.inspection) return false;
  return action.inspection.reduce((all, one) => all + one, 0) !== quantity;
}

const check = (claim: Claim, ...statuses: readonly Claim['status'][]): unknown =>
  statuses.includes(claim.status) || refuse('INVALID_STATUS');
const viewed = ({ shop, claim }: Scene): Answer => ({ data: { ...viewOf(shop, claim), stockShortfall: claim.shortfall } });

const HANDLERS: { readonly [D in ClaimAction['do']]: (scene: Scene, action: Of<D>) => Answer } = {
  withdraw({ shop, claim }) {
    check(claim, 'REQUESTED', 'HELD');
    close(shop, claim, 'WITHDRAWN');
    return { data: viewOf(shop, claim) };
  },
  approve({ shop, claim, line }, { deductAmount = 0, holdRefund }) {
    if (claim.type === 'EXCHANGE') refuse('INVALID_STATUS');
    if (claim.type === 'RETURN' && line.isShipped) check(claim, 'COLLECTED');
    else check(claim, 'REQUESTED', 'HELD');
    approve(shop, claim, deductAmount);
    return {
      data: { quantity: claim.quantity, ...claim.amounts },
      learn: ({ refundId }) => learnRefund(shop, refundId, holdRefund),
    };
  },
  reject(scene) {
    const { shop, claim, line } = scene;
    check(claim, 'REQUESTED', 'HELD', 'COLLECTING', 'COLLECTED');
    const taken = Math.min(claim.restocked, shop.stock[line.optionId]!);
    shop.stock[line.optionId]! -= taken;
    claim.shortfall = claim.restocked - taken;
    close(shop, claim, 'REJECTED');
    return viewed(scene);
  },
  collect(scene) {
    const { claim, line } = scene;
    if (claim.type === 'CANCEL') refuse('INVALID_STATUS');
    check(claim, 'REQUESTED', 'HELD');
    if (!line.isShipped) refuse('COLLECTION_NOT_REQUIRED');
    claim.status = 'COLLECTING';
    claim.heldUntil = null;
    return viewed(scene);
  },
  'collect/complete'(scene, { inspection }) {
    const { shop, claim, line } = scene;
    check(claim, 'COLLECTING');
    claim.status = 'COLLECTED';
    claim.restocked = inspection?.[0] ?? claim.quantity;
    shop.stock[line.optionId]! += claim.restocked;
    return viewed(scene);
  },
  redelivery(scene, { optionId: wanted }) {
    const { shop, claim, line } = scene;
    if (claim.type !== 'EXCHANGE') refuse('INVALID_STATUS');
    check(claim, 'COLLECTED');
    const optionId = wanted ?? claim.optionId;
    if (optionId !== line.optionId && optionId !== line.otherOptionId) refuse('VARIANT_NOT_FOUND', 404);
    if (shop.stock[optionId]! < claim.quantity) refuse('OUT_OF_STOCK');
    shop.stock[optionId]! -= claim.quantity;
    claim.status = 'REDELIVERING';
    return viewed(scene);
  },
  'complete-exchange'(scene) {
    const { shop, claim, line } = scene;
    check(claim, 'REDELIVERING');
    close(shop, claim, 'COMPLETED');
    line.left += claim.quantity;
    line.exchanged += claim.quantity;
    end(line, 'EXCHANGED');
    return viewed(scene);
  },
  hold(scene, { days = 7 }) {
    const { shop, claim } = scene;
    if (claim.isHoldUsed && (claim.status === 'REQUESTED' || claim.status === 'HELD')) refuse('ALREADY_HELD');
    check(claim, 'REQUESTED');
    Object.assign(claim, { status: 'HELD', isHoldUsed: true, heldUntil: shop.day + days });
    return viewed(scene);
  },
  release(scene) {
    check(scene.claim, 'HELD');
    Object.assign(scene.claim, { status: 'REQUESTED', heldUntil: null });
    return viewed(scene);
  },
};

/** Only the API knows the id of a refund; where no cash goes back there is none. */
export function learnRefund(shop: Shop, refundId: string | null | undefined, isHeld = false): void {
  if (refundId) (isHeld ? shop.heldRefunds : shop.releasedRefunds)[refundId] = true;
}
