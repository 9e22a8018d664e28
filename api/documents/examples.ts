/**
 * Examples of the OpenAPI documents. One real call of each operation is recorded by test/system/contract/recordExamples.ts and tested
 * there; an operation that was not recorded yet has one that is put together from what the others show under the same names.
 */
import { readFileSync } from 'node:fs';
import type { Endpoint } from '../declare/endpoint.ts';
import type { TSchema } from '../declare/schema.ts';
import { checker } from '../validation/validate.ts';

export interface Example {
  readonly request?: unknown;
  readonly response: unknown;
}
type Declared = Pick<Endpoint, 'id' | 'body' | 'data' | 'successor'>;

/** Recorded examples by operation id (test/system/contract/recordExamples.ts). */
export const recorded = JSON.parse(readFileSync(new URL('../examples.json', import.meta.url), 'utf8')) as Readonly<Record<string, Example>>;

/** The recorded example, else a composed one; none for an operation that a successor replaced. */
export const exampleOf = (endpoint: Declared): Partial<Example> =>
  recorded[endpoint.id] ?? (endpoint.successor === undefined ? composed(endpoint, recorded) : {});

/**
 * Composes an example: of each field its `examples`, else a value recorded under its name (first by operations of the feature), else one of
 * its type.
 */
export function composed({ id, body, data }: Declared, from: Readonly<Record<string, Example>>): Example {
  const [feature] = id.split('.');
  const near = Object.entries(from).toSorted(([a], [b]) => Number(b.startsWith(`${feature}.`)) - Number(a.startsWith(`${feature}.`)));
  const values = Map.groupBy(
    near.flatMap(([, { request, response }]) => [...fieldsOf(response), ...fieldsOf(request)]),
    ([name]) => name,
  );
  /** The recorded values of this name that are valid. */
  const shown = (name: string, schema: TSchema): readonly unknown[] => {
    const problems = checker(schema, 'json');
    return (values.get(name) ?? []).map(([, value]) => value).filter((value) => problems(value).length === 0);
  };
  const compose: Compose = (schema, name) => {
    const [known] = schema.examples ?? shown(name, schema);
    return known === undefined ? build(schema, name, compose) : known;
  };
  return { ...(body && { request: compose(body, '') }), response: data ? compose(data, '') : null };
}

type Compose = (schema: TSchema & Shape, name: string) => unknown;

/** A value of the type. */
function build({ anyOf, type, properties = {}, required = [], items, ...scalar }: Shape, name: string, compose: Compose): unknown {
  if (anyOf) return compose(anyOf[0]!, name);
  if (type === 'object') return Object.fromEntries(required.map((field) => [field, compose(properties[field]!, field)]));
  if (type === 'array') return items ? [compose(items, name)] : [];
  if (scalar.enum) return scalar.enum[0];
  return { string: FORMATS[scalar.format ?? ''] ?? 'text', integer: scalar.minimum ?? 0, boolean: false }[type ?? ''] ?? null;
}
const FORMATS: Readonly<Record<string, string>> = { 'date-time': '2026-11-20T09:30:00+09:00', date: '2026-11-20' };

/** The keywords of a JSON schema that determine a value. */
interface Shape {
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly minimum?: number;
  readonly format?: string;
}

/** All fields of a value with their names, recursively; without empty lists. */
function* fieldsOf(value: unknown): Generator<readonly [name: string, value: unknown]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && !(Array.isArray(inner) && inner.length === 0)) yield [name, inner];
    yield* fieldsOf(inner);
  }
}
