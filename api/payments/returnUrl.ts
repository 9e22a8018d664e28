import { Fault, type FieldError } from '../../domain/kernel/errors.ts';
import { judgeReturnUrl } from '../../domain/payments/rules.ts';

const PROBLEMS = {
  'not-absolute': 'must be an absolute URL',
  'no-host': 'names a host of other characters than letters, digits, hyphens and dots, or a port that is none',
};

/** Not an absolute URL, and a host name that is none, are problems of the field (D38, X23). */
export function returnUrlProblems({ returnUrl }: { readonly returnUrl?: string | undefined }): FieldError[] {
  const verdict = returnUrl === undefined ? 'ok' : judgeReturnUrl(returnUrl);
  return verdict === 'ok' || verdict === 'not-allowed' ? [] : [{ field: 'returnUrl', code: 'INVALID', message: PROBLEMS[verdict] }];
}

/** An absolute URL that is refused all the same is RETURN_URL_NOT_ALLOWED (D38). */
export function checkReturnUrl(url: string): void {
  if (judgeReturnUrl(url) !== 'ok') throw new Fault('RETURN_URL_NOT_ALLOWED');
}
