import { listApiTokens } from '../../db/identity/apiTokens.ts';
import type { Subject } from '../declare/subject.ts';
import { ApiToken, viewApiToken } from './schemas.ts';

export const API_TOKEN: Subject = {
  type: 'API_TOKEN',
  idField: 'tokenId',
  listing: { given: ['tokenId', 'createdAt', 'lastUsedAt'], hidden: ['tokenPrefix'] },
  data: ApiToken,
  read: async (tx, tokenId) => {
    const { items } = await listApiTokens(tx, { page: 1, size: 1, tokenId });
    return items[0] ? viewApiToken(items[0]) : null;
  },
};
