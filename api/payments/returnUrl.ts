import { Fault, type FieldError } from '../../workflows/kernel/errors.ts';
import { judgeReturnUrl } from '../../workflows/payments/rules.ts';

/** Not an absolute URL is a problem of the field (D38). */
export const returnUrlProblems = ({ returnUrl }: { readonly returnUrl?: unknown }): FieldError[] =>
  typeof returnUrl === 'string' && judgeReturnUrl(returnUrl) === 'not-absolute'
    ? [{ field: 'returnUrl', code: 'INVALID', message: 'must be an absolute URL' }]
    : [];

/** An absolute URL that is refused all the same is RETURN_URL_NOT_ALLOWED (D38). */
export function checkReturnUrl(url: string): void {
  if (judgeReturnUrl(url) !== 'ok') throw new Fault('RETURN_URL_NOT_ALLOWED');
}
