/** Expressions of an order flow: what the rest of the flow engine knows of them (docs/contract.md#expressions). */
import type { ExpressionProblem } from './errors.ts';
import type { Meter } from './meter.ts';

/** What an expression gives: a guard `bool`, a fee `int` in won, a deadline or an `until` `time`. */
export type ExpressionType = 'bool' | 'int' | 'time';

/** A row of a table for `lookupStep`: from `days` days left on, `value`. */
export interface StepRow {
  readonly days: number;
  readonly value: number;
}
/** A row of a table for `inRanges`: both days (MM-DD) included; it may pass the end of the year. */
export interface RangeRow {
  readonly from: string;
  readonly to: string;
}
/** The tables of a graph by name. */
export type Tables = Readonly<Record<string, readonly StepRow[] | readonly RangeRow[]>>;

export type FieldType = 'text' | 'textarea' | 'number' | 'select' | 'radio' | 'checkbox' | 'boolean' | 'date' | 'datetime' | 'image';
/** The input keys that a graph's actions declare, with the type of their field. */
export type InputTypes = Readonly<Record<string, FieldType>>;

/** How many values the inputs that are lists have at most. */
export type InputSizes = Readonly<Record<string, number>>;

/** What an expression reads. Times are business milliseconds, amounts won. */
export interface Scope {
  readonly now: number;
  /** When the state was entered. */
  readonly enteredAt: number;
  /** Korean days, `YYYY-MM-DD`. */
  readonly holidays: ReadonlySet<string>;
  /** As the actions' forms accepted them. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Absent where no claim is judged: reading it fails then. */
  readonly refundable?: number | undefined;
  readonly claim?: { readonly quantity: number; readonly reason: string } | undefined;
  readonly item: {
    readonly quantity: number;
    readonly activeQuantity: number;
    readonly unitPrice: number;
    /** The variant's `attributes` at payment (F40). */
    readonly option: Readonly<Record<string, unknown>>;
    readonly stay: { readonly checkIn: string; readonly checkOut: string; readonly nights: number } | null;
  };
  readonly order: { readonly paidAt: number; readonly totalAmount: number };
}

/** The expressions of one graph. Each source is parsed once and kept. */
export interface Expressions {
  /** The first problem of a source that shall give `wanted`, or null: then `evaluate` gives that type or throws ExpressionError. */
  check(source: string, wanted: ExpressionType): ExpressionProblem | null;
  /** The keys of the inputs that it may read although they are absent: outside what `has(item.inputs.key)` guards. */
  readsUnguarded(source: string): readonly string[];
  /** Whether it asks for holidays, which the scope must then know. */
  usesHolidays(source: string): boolean;
  /** Whether it reads `refundable` or `claim`, which only fees and limits of claims have. */
  usesClaim(source: string): boolean;
  /** What it costs at most; 0 for a source with a problem. */
  price(source: string): number;
  /**
   * bool → boolean, int → safe integer, time → milliseconds. Throws ExpressionError and nothing else. What it costs is taken from `meter`;
   * without one it may cost what one expression may.
   */
  evaluate(source: string, scope: Scope, meter?: Meter): boolean | number;
}
