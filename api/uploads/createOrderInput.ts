import { exhaustedUntil, type Limit } from '../../db/limits/commands.ts';
import { hashKey, hasReply } from '../../db/runs/operations.ts';
import { recordUpload } from '../../db/uploads/commands.ts';
import { MAX_UPLOAD_BYTES } from '../../domain/uploads/rules.ts';
import { DAY } from '../../domain/kernel/time.ts';
import type { Caller } from '../declare/caller.ts';
import { endpoint } from '../declare/endpoint.ts';
import { sentKey } from '../pipeline/idempotency.ts';
import { type LimitedCall, limitKey, refuseUntil } from '../web/limits.ts';
import { closed } from '../declare/schema.ts';
import { storeFile, UploadView, viewUpload } from './schemas.ts';

/** Sessions cost nothing, so addresses are counted too, over all stores (X13). */
const limitsOf = (call: LimitedCall & Pick<Caller, 'sessionId' | 'clientAddress'>): Limit[] => [
  { key: limitKey(call, 'upload', call.storeId, call.sessionId!), max: 30, windowMs: DAY },
  { key: limitKey(call, 'upload', call.clientAddress), max: 100, windowMs: DAY },
];

export const createOrderInput = endpoint({
  id: 'uploads.createOrderInput',
  route: 'POST /storefront/v1/uploads/order-inputs',
  summary: 'Upload an image for an order, of at most 5 MiB: JPEG, PNG, WebP or GIF',
  access: 'buyer',
  change: 'here',
  idempotent: true,
  // Before the file is sent. What is under a key that has an answer may be sent: it is no other upload.
  first: async (tx, _, head) => {
    const key = sentKey(head, []);
    if (key === null || !(await hasReply(tx, { principal: head.principal, key: hashKey(key) })))
      refuseUntil('uploads', await exhaustedUntil(tx, limitsOf(head)), tx.realNow);
  },
  maxFileBytes: MAX_UPLOAD_BYTES,
  body: closed({}, { title: 'OrderInputUpload' }),
  status: 201,
  data: UploadView,
  errors: ['INVALID_IMAGE'],
})
  .before((call) => storeFile(call, 'order-input', limitsOf(call)))
  .handle(async ({ tx, prepared, deps }) => viewUpload(recordUpload(tx, prepared), deps.config.publicUrl));
