import { tagOf } from '../../db/products/tag.ts';
import { replaceOptions as replace } from '../../db/products/changes.ts';
import { optionProblems } from '../../domain/products/options.ts';
import { endpoint } from '../declare/endpoint.ts';
import { changeContext } from './changing.ts';
import { OptionsRequest } from './requests.ts';
import { Options, viewOptions } from './schemas.ts';
import { discountOf, PRODUCT } from './subject.ts';

export const replaceOptions = endpoint({
  id: 'products.replaceOptions',
  route: 'PUT /v1/products/{productId}/options',
  summary: 'Replace the option model; a combination that exists keeps what is not sent',
  access: 'store',
  ifMatch: true,
  scopes: ['product:rw'],
  agent: 'approval',
  directUntilLive: true,
  target: PRODUCT,
  context: discountOf,
  change: 'here',
  isLarge: true,
  body: OptionsRequest,
  etag: true,
  data: Options,
  check: optionProblems,
  errors: [
    'PRODUCT_NOT_FOUND',
    'PRODUCT_CHANGED',
    'PRECONDITION_FAILED',
    'VARIANT_NOT_FOUND',
    'VARIANT_IN_ORDER',
    'PRICE_CONFLICT',
    'INVENTORY_MODE_MISMATCH',
  ],
}).handle(async (call) => {
  const { key, basis } = changeContext(call);
  const changed = await replace(call.tx, key, { variants: [], ...call.body }, basis);
  call.setHeader('ETag', tagOf(changed));
  return viewOptions(changed);
});
