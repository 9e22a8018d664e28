/** Checks of single values: expressions, durations, messages. */
import { DAY, duration, SECOND } from '../../kernel/time.ts';
import { compileExpressions } from '../expressions/compile.ts';
import type { ExpressionType } from '../expressions/types.ts';
import { inputSizes, inputTypes } from '../run/flow.ts';
import type { Report, Where } from './issues.ts';
import type { View } from './view.ts';

/** What an expression may read of a claim: all, what is refundable (a refund on the way), nothing. */
type ClaimUse = 'claim' | 'refundable' | 'none';
export interface Values {
  /** What an expression costs at most; 0 where there is none. */
  readonly price: (source: unknown) => number;
  readonly expression: (source: string | undefined, wanted: ExpressionType, where: Where, use?: ClaimUse) => void;
  readonly duration: (text: string | undefined, where: Where) => void;
  readonly template: (text: string | undefined, where: Where) => void;
}

/** What one expression may cost. */
const MAX_PRICE = 2000;

const TEXTS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;
const readsClaim = (source: string): boolean => /(?<![\w.])claim\s*\./.test(source.replaceAll(TEXTS, '""'));

/** The inputs that some form always sends. */
const certainInputs = ({ graph }: View): ReadonlySet<string> =>
  new Set(graph.actions.flatMap(({ input = [] }) => input.flatMap(({ key, required, when }) => (required && !when ? [key] : []))));

export function createValues(view: View, report: Report): Values {
  const types = inputTypes(view.graph);
  const expressions = compileExpressions(view.graph.tables ?? {}, types, inputSizes(view.graph));
  const certain = certainInputs(view);
  return {
    price: (source) => (typeof source === 'string' ? expressions.price(source) : 0),
    expression(source, wanted, where, use = 'none') {
      if (source === undefined) return;
      const problem = expressions.check(source, wanted);
      if (problem) return report.block(problem.code, { ...where, range: problem.range }, problem.message);
      if (use === 'none' ? expressions.usesClaim(source) : use === 'refundable' && readsClaim(source))
        return report.block('EXPRESSION_NOT_ALLOWED', where, 'There is no claim here: fees and limits of claims can read it.');
      const price = expressions.price(source);
      if (price > MAX_PRICE)
        report.block(
          'TOO_COSTLY',
          { ...where, range: { start: 0, end: source.length } },
          `It may look at ${price} nodes, rows, list elements and days: an expression at ${MAX_PRICE}.`,
        );
      for (const key of expressions.readsUnguarded(source))
        if (Object.hasOwn(types, key) && !certain.has(key))
          report.warn('EXPRESSION_MAYBE_MISSING', where, `item.inputs.${key} may be absent: ask has(item.inputs.${key}) first.`);
    },
    duration(text, where) {
      if (text === undefined) return;
      const length = duration(text);
      if (length === null || length < SECOND || length > 400 * DAY)
        report.block('DURATION_INVALID', where, 'An ISO 8601 duration without months and years, one second to 400 days, like P3DT12H.');
    },
    template(text = '', where) {
      for (const [, path = ''] of text.matchAll(PLACEHOLDER))
        if (!KNOWN_PATH.test(path.trim()))
          report.block('TEMPLATE_PATH_UNKNOWN', where, `{{${path}}} is none of {{inputs.*}}, {{data.*}}, {{item.*}}, {{fulfillment.*}}.`);
    },
  };
}
/** Whatever looks like a placeholder: one that is none would be shown as it is. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const KNOWN_PATH = /^(?:inputs|data|item|fulfillment)(?:\.[\w-]+)+$/;
