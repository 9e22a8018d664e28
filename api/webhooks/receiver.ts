/** Validation of a receiver's URL when it is registered or changed (docs/contract.md#receivers). */
import type { FieldError } from '../../domain/kernel/errors.ts';
import type { ApiDeps } from '../declare/deps.ts';

const SCREEN_MS = 2000;

export async function receiverProblems({ url }: { readonly url?: string | undefined }, { egress }: ApiDeps): Promise<FieldError[]> {
  const problem = url !== undefined ? await egress.screen(url, SCREEN_MS) : null;
  return problem ? [{ field: 'url', code: problem, message: 'must be a public https address without user information' }] : [];
}
