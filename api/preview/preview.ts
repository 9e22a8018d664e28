/** What a change would do, as people see it who decide, and whether it is what they approved (G51). */
import { digestOf } from '../../db/kernel/digest.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import { comparedOf, isSamePreview, type Preview } from '../../domain/approvals/rules.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import type { Request } from '../declare/request.ts';
import { isBulk } from '../declare/subject.ts';
import { type Difference, NO_DIFFERENCE, plannedTarget } from './compare.ts';
import { sentRequest } from './sentRequest.ts';
import { STEP_LEVELS, stepFacts } from './stepFacts.ts';

/** The preview of a dry run: what would differ, and the amounts and counts that the real answer would tell. */
export function previewOf(request: Request, { tx, difference, answer }: Done): Preview {
  const { endpoint } = request;
  const names = isBulk(endpoint.target) ? ['results'] : (endpoint.facts ?? []);
  // Of a flow's step the answer tells no amounts: its transaction knows them.
  const known: Readonly<Record<string, unknown>> = { ...tx.returned, ...tx.facts, ...(answer as object | null) };
  const facts = Object.fromEntries(names.filter((name) => name in known).map((name) => [name, known[name]]));
  const preview = {
    operationId: endpoint.id,
    target: plannedTarget(difference),
    changes: difference.changes,
    facts: { ...difference.context, ...uncut(difference, levelsOf(endpoint)), ...stepFacts(tx.steps), ...facts },
    request: sentRequest(request),
  };
  // As it is stored and sent.
  return JSON.parse(JSON.stringify(preview)) as Preview;
}
/** Where more fields change than are shown: how many, and a digest of all of them, so that none of them changes unseen. */
const uncut = ({ changes, all }: Difference, levels: readonly string[]) =>
  all.length === changes.length ? {} : { changedFields: all.length, changesDigest: digestOf(comparedOf(all, levels)) };

interface Done {
  readonly tx: Tx;
  readonly difference: Difference;
  readonly answer: unknown;
}

/** The fields and facts of an operation's previews that are not compared. */
export const levelsOf = ({ target, levels = [] }: Endpoint): readonly string[] => {
  const listing = target && (isBulk(target) ? target.each.listing : target.listing);
  return [...levels, ...(listing?.levels ?? []), ...STEP_LEVELS];
};

/** What was approved is not what would be done; what would. */
export class Stale extends Error {
  readonly preview: Preview;
  constructor(preview: Preview) {
    super('not what was approved');
    this.preview = preview;
  }
}
/** Throws where a request that carries out what was approved does anything else. */
export function checkApproved({ endpoint, execution }: Request, preview: Preview): void {
  if (execution && !isSamePreview(execution.approved, preview, levelsOf(endpoint))) throw new Stale(preview);
}

/** As a dry run answers it: its sender knows what was sent. */
export const answeredPreview = ({ operationId, target, changes, facts }: Preview): Preview => ({ operationId, target, changes, facts });
/** Of an operation that is always denied to agents, and therefore not run. */
export const deniedPreview = ({ endpoint }: Request) => ({
  operationId: endpoint.id,
  target: NO_DIFFERENCE.target,
  changes: NO_DIFFERENCE.changes,
  facts: {},
});
