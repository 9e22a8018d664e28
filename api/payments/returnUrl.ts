import { Fault, type FieldError } from '../../domain/kernel/errors.ts';
import { classifyReturnUrl } from '../../domain/payments/rules.ts';

const PROBLEMS = {
  'not-absolute': 'must be an absolute URL',
  'no-host': 'names a host of other characters than letters, digits, hyphens and dots, or a port that is none',
};

/** Field errors: the URL is not absolute, or its host name is invalid (D38, X23). */
export function returnUrlProblems({ returnUrl }: { readonly returnUrl?: string | undefined }): FieldError[] {
  const verdict = returnUrl === undefined ? 'ok' : classifyReturnUrl(returnUrl);
  return verdict === 'ok' || verdict === 'not-allowed' ? [] : [{ field: 'returnUrl', code: 'INVALID', message: PROBLEMS[verdict] }];
}

/** RETURN_URL_NOT_ALLOWED for an absolute URL that is not allowed (D38). */
export function checkReturnUrl(url: string): void {
  if (classifyReturnUrl(url) !== 'ok') throw new Fault('RETURN_URL_NOT_ALLOWED');
}
