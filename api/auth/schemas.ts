import { CONSENT_KINDS } from '../../domain/customers/consents.ts';
import { ConsentVersion } from '../consents/schemas.ts';
import { closed, Email, Id, Name, Phone, Type, VERBATIM, oneOf } from '../declare/schema.ts';

/** At most as long as a guest token. */
const CartToken = Type.String({ minLength: 20, maxLength: 100 });
const Password = Type.String({ minLength: 8, maxLength: 128, ...VERBATIM });

const once = (kind: string, minContains: number) => ({
  contains: { type: 'object', properties: { kind: { const: kind } }, required: ['kind'] },
  minContains,
  maxContains: 1,
});

export const LoginRequest = closed(
  { email: Email, password: Type.String({ minLength: 1, maxLength: 128, ...VERBATIM }), cartToken: Type.Optional(CartToken) },
  { title: 'LoginRequest' },
);
export const SignUpRequest = closed(
  {
    email: Email,
    password: Password,
    name: Name(50),
    phone: Phone,
    consents: Type.Array(closed({ kind: oneOf(CONSENT_KINDS), version: Type.Optional(ConsentVersion) }), {
      maxItems: 3,
      description: 'TERMS and PRIVACY are required',
      'x-document': { allOf: [once('TERMS', 1), once('PRIVACY', 1), once('MARKETING', 0)] },
    }),
    cartToken: Type.Optional(CartToken),
  },
  { title: 'SignUpRequest' },
);
export const LoggedIn = closed(
  {
    accessToken: Type.String(),
    tokenType: oneOf(['Bearer']),
    expiresIn: Type.Integer({ description: 'Seconds' }),
    customerId: Id,
  },
  { title: 'LoggedIn' },
);
/** Whoever has a password sends it; a member without one, who comes through the server of the shop, their e-mail. */
export const WithdrawRequest = closed(
  {
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 128, ...VERBATIM })),
    confirmation: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'The e-mail, of a member without a password' })),
  },
  { title: 'WithdrawRequest' },
);
