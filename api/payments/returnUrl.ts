import { Fault, invalid } from '../../workflows/kernel/errors.ts';
import { judgeReturnUrl } from '../../workflows/payments/rules.ts';

/** Not an absolute URL: VALIDATION_FAILED; any other refusal: RETURN_URL_NOT_ALLOWED (D38). */
export function checkReturnUrl(url: string): void {
  const judgement = judgeReturnUrl(url);
  if (judgement === 'not-absolute') throw invalid('returnUrl', 'INVALID', 'must be an absolute URL');
  if (judgement === 'not-allowed') throw new Fault('RETURN_URL_NOT_ALLOWED');
}
