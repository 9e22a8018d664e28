/** One source, read once: its problem, or what evaluates it. */
import type { Environment } from '@marcbachmann/cel-js/evaluator';
import { MAX_LENGTH, type Names, notAllowed } from './allowed.ts';
import { unguarded } from './guards.ts';
import { CHARACTERS, SIDE } from './meter.ts';
import { countedTexts, priceOf, type Sizes, workOf } from './price.ts';
import type { FieldTypes } from './scope.ts';
import { nodesOf, pathOf, type Tree } from './tree.ts';
import type { ExpressionProblem } from './errors.ts';
import type { Scope } from './types.ts';

/** A source that runs. */
export interface Program {
  /** What it gives, in the language's words: bool, int, time, string, … */
  readonly type: string;
  /** Throws the library's errors and ExpressionError. */
  readonly run: (variables: object) => unknown;
  /** The fields of `item.inputs` and `item.option` that it reads or asks for. */
  readonly inputs: FieldTypes;
  readonly option: FieldTypes;
  readonly unguarded: readonly string[];
  readonly usesHolidays: boolean;
  readonly usesClaim: boolean;
  /** What it costs at most. */
  readonly price: number;
  /** What it costs with these values, without the rows that its functions look at. */
  readonly workWith: (scope: Scope) => number;
}

/** What the expressions of a graph are written in. */
export interface Language {
  readonly names: Names;
  readonly inputs: FieldTypes;
  readonly sizes: Sizes;
  /** Knows all but `item`: enough to parse. */
  readonly environment: Environment;
  /** Knows `item` with these options too. */
  readonly withOption: (keys: readonly string[]) => { readonly environment: Environment; readonly option: FieldTypes };
}

export type Reading = { readonly problem: ExpressionProblem } | { readonly problem: null; readonly program: Program };

/** Reads a source: what is allowed first, since checking types carries macros out. Throws nothing. */
export function read(language: Language, source: string): Reading {
  if (source.length > MAX_LENGTH) return { problem: tooLong(source) };
  const tree = parsed(language.environment, source);
  if (!('op' in tree)) return { problem: tree };
  const problem = notAllowed(tree, language.names);
  return problem ? { problem } : typed(language, source, tree);
}

const tooLong = ({ length: end }: string): ExpressionProblem => ({
  code: 'EXPRESSION_NOT_ALLOWED',
  message: `longer than ${MAX_LENGTH} characters`,
  range: { start: MAX_LENGTH, end },
});

function parsed(environment: Environment, source: string): Tree | ExpressionProblem {
  try {
    return environment.parse(source).ast;
  } catch (error) {
    return problemOf(error, 'EXPRESSION_SYNTAX');
  }
}

function typed({ withOption, inputs, sizes }: Language, source: string, tree: Tree): Reading {
  const nodes = [...nodesOf(tree)];
  const { environment, option } = withOption(keysIn(nodes, 'option'));
  const parse = environment.parse(source);
  const { type, error } = parse.check();
  if (type === undefined) return { problem: problemOf(error, 'EXPRESSION_TYPE') };
  const read = new Set(keysIn(nodes, 'inputs'));
  const calls = new Set(nodes.map((node) => (node.op === 'call' ? node.args[0] : null)));
  const roots = new Set(nodes.map((node) => pathOf(node)?.[0]));
  const program = {
    type,
    run: parse,
    inputs: new Map([...inputs].filter(([key]) => read.has(key))),
    option,
    unguarded: [...unguarded(tree)],
    usesHolidays: calls.has('isHoliday'),
    usesClaim: roots.has('refundable') || roots.has('claim'),
    price: priceOf(nodes, sizes),
    workWith: workOfValues(nodes, sizes),
  };
  return { problem: null, program };
}

/** Lists count by the values that are there, and texts by their characters; sides of `&&` and `||` as if each failed. */
function workOfValues(nodes: readonly Tree[], { rows, values }: Sizes): Program['workWith'] {
  const texts = countedTexts(nodes);
  const sides = SIDE * nodes.filter(({ op }) => op === '&&' || op === '||').length;
  const withoutLists = workOf(nodes, { rows, values: () => 0 });
  const hasLists = withoutLists < workOf(nodes, { rows, values });
  return (scope) => {
    const characters = texts.reduce((total, path) => total + lengthOf(scope, path, 'string'), 0);
    const work = hasLists ? workOf(nodes, { rows, values: (path) => lengthOf(scope, path, 'object') }) : withoutLists;
    return work + sides + Math.floor(characters / CHARACTERS);
  };
}
const NONE: Readonly<Record<string, unknown>> = {};
/** How long the text is, or the list, that an expression reads by a path; 0 where it is no such thing. */
function lengthOf({ inputs, item }: Scope, [root, group, key = '']: readonly string[], type: 'string' | 'object'): number {
  let fields = NONE;
  if (root === 'item' && group === 'inputs') fields = inputs;
  if (root === 'item' && group === 'option') fields = item.option;
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
  const isWanted = typeof value === 'string' ? type === 'string' : Array.isArray(value) && type === 'object';
  return isWanted ? (value as { readonly length: number }).length : 0;
}

/** The keys of `item.inputs.key` or `item.option.key`, each once, in order. */
function keysIn(nodes: readonly Tree[], group: 'inputs' | 'option'): readonly string[] {
  const paths = nodes.map(pathOf).filter((path) => path?.length === 3 && path[0] === 'item' && path[1] === group);
  return [...new Set(paths.map((path) => path![2]!))].toSorted();
}

/** Problems that the library finds while it parses, although they are no mistakes of writing. */
const NOT_ALLOWED: ReadonlySet<string | undefined> = new Set(['limit_exceeded', 'invalid_macro_argument']);

function problemOf(error: unknown, otherwise: ExpressionProblem['code']): ExpressionProblem {
  const { code, summary, range } = error as {
    readonly code?: string;
    readonly summary?: string;
    readonly range?: ExpressionProblem['range'];
  };
  const message = (summary ?? 'cannot be read').replaceAll('google.protobuf.Duration', 'duration').replaceAll('double', 'decimal');
  return { code: NOT_ALLOWED.has(code) ? 'EXPRESSION_NOT_ALLOWED' : otherwise, message, range: range ?? null };
}
