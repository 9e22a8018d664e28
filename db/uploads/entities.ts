import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { ImageType, UploadPurpose } from '../../domain/uploads/rules.ts';
import { storeId, time } from '../kernel/columns.ts';

export const UploadEntity = defineEntity({
  name: 'Upload',
  tableName: 'upload',
  properties: {
    storeId: storeId(),
    uploadId: p.string().primary(),
    purpose: p.string().$type<UploadPurpose>(),
    /** Client, user, customer or guest session. */
    principal: p.string(),
    contentType: p.string().$type<ImageType>(),
    size: p.integer(),
    sha256: p.blob(),
    /** An order refers to it. */
    isNamed: p.boolean().default(false),
    createdAt: time(),
  },
});
export type Upload = InferEntity<typeof UploadEntity>;
