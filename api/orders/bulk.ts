/** Bulk commands: at most 100 items, a few concurrently, each with its own result. */
import { catalogue, type ErrorCode, Fault } from '../../domain/kernel/errors.ts';
import { bulkOf, closed } from '../declare/schema.ts';
import { OrderItemIds } from './schemas.ts';
import { ORDER_ITEM } from './subject.ts';
import { sendItemCommand, type ItemCommandRequest, type CommandContext } from './sendCommand.ts';

const AT_A_TIME = 8;
interface BulkBody {
  readonly orderItemIds?: readonly string[];
  readonly items?: readonly { readonly orderItemId: string }[];
}
const idsOf = ({ orderItemIds, items = [] }: BulkBody): readonly string[] => orderItemIds ?? items.map(({ orderItemId }) => orderItemId);
/** The declaration that bulk operations share. */
export const bulk = {
  access: 'store',
  scopes: ['order:rw'],
  agent: 'direct',
  aiActions: 'always',
  target: { each: ORDER_ITEM, ids: idsOf },
  change: 'workflow',
  idempotent: true,
  data: bulkOf('OrderItemResults'),
} as const;
export const Ids = closed({ orderItemIds: OrderItemIds }, { title: 'OrderItemIds' });

/**
 * Runs a command per item, each under its own idempotency key, so that a repeated bulk repeats nothing. Codes are those of the single
 * operation.
 */
export async function each(
  call: CommandContext,
  requests: readonly { readonly orderItemId: string; readonly command: ItemCommandRequest }[],
) {
  const results: { id: string; isSuccess: boolean; code: string; message: string }[] = [];
  for (let i = 0; i < requests.length; i += AT_A_TIME)
    results.push(
      ...(await Promise.all(
        requests.slice(i, i + AT_A_TIME).map(async ({ orderItemId: id, command }) => {
          try {
            const commands = call.commands.forPart(id);
            if ((await commands.stored()) === null) await sendItemCommand({ ...call, commands }, id, command);
            return { id, isSuccess: true, code: 'OK', message: '' };
          } catch (error) {
            const code = error instanceof Fault ? error.code : 'INTERNAL';
            return { id, isSuccess: false, code, message: catalogue[code].message };
          }
        }),
      )),
    );
  const succeeded = results.filter((result) => result.isSuccess).length;
  const body = { results, succeeded, failed: results.length - succeeded };
  if (!results.some(({ code }) => catalogue[code as ErrorCode]?.status >= 500)) await call.commands.storeReply({ status: 200, body });
  return body;
}
