import type { Endpoint } from '../declare/endpoint.ts';
import { change } from './change.ts';
import { create } from './create.ts';
import { list } from './list.ts';
import { listMine } from './listMine.ts';
import { listShown } from './listShown.ts';
import { remove } from './remove.ts';

export const reviews: readonly Endpoint[] = [list, listShown, create, listMine, change, remove];
