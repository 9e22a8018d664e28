import { recordUpload } from '../../db/uploads/commands.ts';
import { MAX_UPLOAD_BYTES } from '../../domain/uploads/rules.ts';
import { closed, oneOf } from '../declare/schema.ts';
import { endpoint } from '../declare/endpoint.ts';
import { storeFile, UploadView, viewUpload } from './schemas.ts';
import { UPLOAD } from './subject.ts';

export const create = endpoint({
  id: 'uploads.create',
  route: 'POST /v1/uploads',
  summary: 'Upload an image of at most 5 MiB: JPEG, PNG, WebP or GIF',
  access: 'store',
  scopes: ['order:rw', 'product:rw'],
  scopeOf: ({ purpose }) => (purpose === 'flow-attachment' ? 'order:rw' : 'product:rw'),
  agent: 'direct',
  target: UPLOAD,
  change: 'here',
  idempotent: true,
  maxFileBytes: MAX_UPLOAD_BYTES,
  body: closed({ purpose: oneOf(['product-image', 'flow-attachment']) }, { title: 'UploadRequest' }),
  status: 201,
  data: UploadView,
  errors: ['INVALID_IMAGE'],
})
  .before((call) => storeFile(call, call.body.purpose))
  .handle(async ({ tx, prepared, deps }) => viewUpload(recordUpload(tx, prepared), deps.config.publicUrl));
