import { mergeCart } from '../../db/cart/merge.ts';
import { signUp } from '../../db/customers/commands.ts';
import type { FieldError } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { hashNewPassword } from '../callers/passwords.ts';
import type { Static, Fitting } from '../declare/schema.ts';
import { loggedIn } from './loggedIn.ts';
import { LoggedIn, SignUpRequest } from './schemas.ts';

const REQUIRED = ['TERMS', 'PRIVACY'] as const;

/** A sign-up needs the required consents, each consent at most once. */
function consentProblems({ consents }: Fitting<Static<typeof SignUpRequest>>): FieldError[] {
  if (!consents) return [];
  const kinds = consents.map((consent) => consent?.kind);
  return [
    ...REQUIRED.filter((kind) => !kinds.includes(kind)).map((kind) => ({
      field: 'consents',
      code: 'REQUIRED',
      message: `${kind} must be agreed to`,
    })),
    ...kinds.flatMap((kind, i) =>
      kind !== undefined && kinds.indexOf(kind) < i ? [{ field: `consents[${i}]`, code: 'DUPLICATE', message: 'is there twice' }] : [],
    ),
  ];
}

export const signup = endpoint({
  id: 'auth.signup',
  route: 'POST /storefront/v1/auth/signup',
  summary: 'Become a customer; the cart of a guest comes along',
  access: 'storefront',
  change: 'here',
  idempotent: true,
  secret: true,
  body: SignUpRequest,
  check: consentProblems,
  status: 201,
  data: LoggedIn,
  errors: ['EMAIL_TAKEN'],
})
  .before((call) => hashNewPassword(call.body.password, call))
  .handle(async ({ tx, storeId, body, prepared: passwordHash, realNow, deps }) => {
    const { cartToken, email, name, phone, consents } = body;
    const holder = await signUp(tx, { email, name, phone, consents, passwordHash });
    if (cartToken !== undefined) await mergeCart(tx, cartToken, holder.customerId);
    return loggedIn(deps, storeId, holder, realNow);
  });
