import { Fault } from '../../domain/kernel/errors.ts';
import { type Days, periodOf, periodProblems } from '../../domain/kernel/period.ts';
import { korean } from '../../domain/kernel/time.ts';
import { MAX_DAYS } from '../../domain/visits/rules.ts';
import { FLAGS } from '../declare/parameters.ts';
import { Count, Day, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

/** Sums have no largest value. */
export const Sum = Type.Integer({ minimum: 0, description: 'Won' });

/** The query of a report. */
export const reported = {
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  includeTest: Type.Optional(oneOf(FLAGS, 'true: purchases and starts of payments in sandbox mode, too')),
};
interface Query {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly includeTest?: string | undefined;
}
/** VALIDATION_FAILED: reversed, or longer than a year. */
export function filterOf(query: Query, at: number): Days & { readonly includeTest: boolean } {
  const period = periodOf(query, at);
  const fieldErrors = periodProblems(period, MAX_DAYS);
  if (fieldErrors.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
  return { ...period, includeTest: query.includeTest === 'true' };
}

/** Of what an answer is. */
export const head = {
  from: Day,
  to: Day,
  /** By the store's clock; null: never yet. */
  lastComputedAt: nullable(Timestamp),
};
export const viewHead = ({ from, to }: Days, { computedAt }: { readonly computedAt: number | null }) => ({
  from,
  to,
  lastComputedAt: computedAt === null ? null : korean(computedAt),
});

export const list = { page: Count, size: Count, total: Count, ...head };
