import type { Endpoint } from '../declare/endpoint.ts';
import { create } from './create.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { listDeliveries } from './listDeliveries.ts';
import { redeliver } from './redeliver.ts';
import { redeliverFailed } from './redeliverFailed.ts';
import { remove } from './remove.ts';
import { replace } from './replace.ts';
import { resume } from './resume.ts';
import { rotateSecret } from './rotateSecret.ts';
import { test } from './test.ts';

export const webhooks: readonly Endpoint[] = [
  create,
  list,
  get,
  replace,
  remove,
  rotateSecret,
  resume,
  test,
  listDeliveries,
  redeliver,
  redeliverFailed,
];
