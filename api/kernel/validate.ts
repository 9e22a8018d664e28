import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FieldError } from '../../workflows/kernel/errors.ts';
import type { TSchema } from './schema.ts';

const strict = { strict: true, strictTypes: false, allErrors: true, discriminator: true, keywords: ['x-secret'] };
/** JSON bodies are taken exactly as they are; query text is read as what its schema says. */
const ajvs = { json: new Ajv2020(strict), text: new Ajv2020({ ...strict, coerceTypes: true, useDefaults: true }) };
for (const ajv of Object.values(ajvs)) addFormats.default(ajv, ['date-time', 'date', 'email', 'uri']);

export type Check = (value: unknown) => readonly FieldError[];

/** Compiles on first use, so that a process pays only for the operations it serves. Answers every problem at once. */
export function checker(schema: TSchema, from: 'json' | 'text'): Check {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajvs[from].compile(schema);
    const fieldErrors = [...controlCharacters(value, '')];
    if (!validate(value)) fieldErrors.push(...(validate.errors ?? []).filter((e) => !isNoise(e)).map(fieldError));
    return fieldErrors;
  };
}

const CODES: Readonly<Record<string, string>> = {
  required: 'REQUIRED',
  additionalProperties: 'UNKNOWN_FIELD',
  type: 'INVALID_TYPE',
  enum: 'INVALID_VALUE',
  minimum: 'OUT_OF_RANGE',
  maximum: 'OUT_OF_RANGE',
  minLength: 'TOO_SHORT',
  maxLength: 'TOO_LONG',
  minItems: 'TOO_FEW',
  maxItems: 'TOO_MANY',
};
/** A union fails once per branch and once as a whole; the branches say what is wrong. */
const isNoise = (e: ErrorObject) => e.keyword === 'anyOf' || (e.keyword === 'type' && e.params['type'] === 'null');

function fieldError(e: ErrorObject): FieldError {
  const { missingProperty, additionalProperty } = e.params as { missingProperty?: string; additionalProperty?: string };
  const extra = missingProperty ?? additionalProperty;
  const path = e.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const field = [...path, ...(extra === undefined ? [] : [extra])].reduce(join, '');
  return { field, code: CODES[e.keyword] ?? 'INVALID', message: e.message ?? 'is not valid' };
}

/** `items` and `2` → `items[2]`; `a` and `b` → `a.b`. */
const join = (path: string, part: string): string => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`);

// oxlint-disable-next-line no-control-regex -- finding them is the point
const REFUSED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** No body of ours is nested deeper; a stack would not survive a hundred thousand brackets. */
const DEEPEST = 32;

/** Control characters (all but tab and line breaks) and lone surrogates, which Postgres would refuse with a 500. */
function* controlCharacters(value: unknown, path: string, depth = 0): Generator<FieldError> {
  if (depth > DEEPEST) {
    yield { field: path.slice(0, 100), code: 'TOO_DEEP', message: `is nested deeper than ${DEEPEST} levels` };
    return;
  }
  if (typeof value === 'string') {
    if (REFUSED.test(value) || !value.isWellFormed())
      yield { field: path, code: 'CONTROL_CHARACTER', message: 'has control characters or broken text' };
  } else if (Array.isArray(value))
    for (const [i, item] of value.entries()) yield* controlCharacters(item, join(path, String(i)), depth + 1);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      if (REFUSED.test(key) || !key.isWellFormed())
        yield { field: path, code: 'CONTROL_CHARACTER', message: 'has a field name with control characters' };
      else yield* controlCharacters(item, join(path, key), depth + 1);
    }
}

/** Problems of one text that came from a path or header. */
export const textErrors = (value: string, field: string): readonly FieldError[] => [...controlCharacters(value, field)];
