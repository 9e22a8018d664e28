import type { Endpoint } from '../declare/endpoint.ts';
import { answer } from './answer.ts';
import { create } from './create.ts';
import { list } from './list.ts';
import { listMine } from './listMine.ts';
import { listShown } from './listShown.ts';

export const inquiries: readonly Endpoint[] = [list, answer, listShown, create, listMine];
