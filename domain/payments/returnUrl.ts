/** Where a buyer returns to, and by what they pay: what is asked of a start with which something remains to be paid. */
import { Fault, type FieldError } from '../kernel/errors.ts';
import { classifyReturnUrl } from './rules.ts';

const PROBLEMS = {
  'not-absolute': 'must be an absolute URL',
  'no-host': 'names a host of other characters than letters, digits, hyphens and dots, or a port that is none',
};

/** Field errors: the URL is not absolute, or its host name is invalid. */
export function returnUrlProblems({ returnUrl }: { readonly returnUrl?: string | undefined }): FieldError[] {
  const verdict = returnUrl === undefined ? 'ok' : classifyReturnUrl(returnUrl);
  return verdict === 'ok' || verdict === 'not-allowed' ? [] : [{ field: 'returnUrl', code: 'INVALID', message: PROBLEMS[verdict] }];
}

const MISSING = { option: 'How is the rest paid?', returnUrl: 'Where does the buyer return to?' };
const FIELDS = ['option', 'returnUrl'] as const;
/**
 * Field errors of the way to pay what remains: what is missing, and what is wrong with the URL. A field of which nothing is left is there.
 */
export const wayProblems = (way: { readonly option?: unknown; readonly returnUrl?: string | undefined }): FieldError[] => [
  ...FIELDS.flatMap((field) => (field in way ? [] : [{ field, code: 'REQUIRED', message: MISSING[field] }])),
  ...returnUrlProblems(way),
];

/** RETURN_URL_NOT_ALLOWED for an absolute URL that is not allowed. */
export function checkReturnUrl(url: string): void {
  if (classifyReturnUrl(url) !== 'ok') throw new Fault('RETURN_URL_NOT_ALLOWED');
}
