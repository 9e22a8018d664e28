import { recordUpload } from '../../db/uploads/commands.ts';
import { MAX_UPLOAD_BYTES } from '../../domain/uploads/rules.ts';
import { DAY } from '../../domain/kernel/time.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { limitKey } from '../kernel/limits.ts';
import { closed } from '../kernel/schema.ts';
import { storeFile, UploadView, viewUpload } from './schemas.ts';

export const createOrderInput = endpoint({
  id: 'uploads.createOrderInput',
  route: 'POST /storefront/v1/uploads/order-inputs',
  summary: 'Upload an image for an order, of at most 5 MiB: JPEG, PNG, WebP or GIF',
  access: 'buyer',
  change: 'here',
  idempotent: true,
  file: MAX_UPLOAD_BYTES,
  body: closed({}, { title: 'OrderInputUpload' }),
  status: 201,
  data: UploadView,
  errors: ['INVALID_IMAGE'],
})
  // Sessions cost nothing, so addresses are counted too, over all stores (X13).
  .before((call) =>
    storeFile(call, 'order-input', [
      { key: limitKey(call, 'upload', call.storeId, call.sessionId!), max: 30, windowMs: DAY },
      { key: limitKey(call, 'upload', call.clientAddress), max: 100, windowMs: DAY },
    ]),
  )
  .handle(async ({ tx, prepared, deps }) => viewUpload(recordUpload(tx, prepared), deps.config.publicUrl));
