/** What is wrong with an expression: before it is published, and while it runs. */

/** What keeps an expression from being published; `range` counts UTF-16 units of its source, null where it is the whole of it. */
export interface ExpressionProblem {
  readonly code: 'EXPRESSION_SYNTAX' | 'EXPRESSION_TYPE' | 'EXPRESSION_LITERAL' | 'EXPRESSION_NOT_ALLOWED';
  readonly message: string;
  readonly range: Range | null;
}
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * ABSENT: it reads what is not there; VALUE: a value that its function does not take; TOO_COSTLY: it was stopped (`Meter`); otherwise a
 * problem that `check` tells.
 */
export type ExpressionErrorCode =
  | 'EXPRESSION_ABSENT'
  | 'EXPRESSION_OVERFLOW'
  | 'EXPRESSION_DIVISION_BY_ZERO'
  | 'EXPRESSION_VALUE'
  | 'EXPRESSION_TOO_COSTLY'
  | ExpressionProblem['code'];

/** An expression failed at run time (F39). Its message names keys and functions, never a value that somebody typed. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly code: ExpressionErrorCode;
  constructor(code: ExpressionErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const CODES: Readonly<Record<string, ExpressionErrorCode>> = {
  no_such_key: 'EXPRESSION_ABSENT',
  unknown_variable: 'EXPRESSION_ABSENT',
  numeric_overflow: 'EXPRESSION_OVERFLOW',
  division_by_zero: 'EXPRESSION_DIVISION_BY_ZERO',
  modulo_by_zero: 'EXPRESSION_DIVISION_BY_ZERO',
};

/** Whatever the library threw, as our own error. */
export function expressionError(thrown: unknown): ExpressionError {
  if (thrown instanceof ExpressionError) return thrown;
  const { code = '', summary = 'failed' } = (thrown ?? {}) as { readonly code?: string; readonly summary?: string };
  return new ExpressionError(Object.hasOwn(CODES, code) ? CODES[code]! : 'EXPRESSION_VALUE', summary);
}
