/** A store of a host of one's own that publishes drawn flows, sells a product of each, and has many bought in one order. */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '@temporalio/client';
import { createCategory } from '../../../../db/categories/commands.ts';
import { factsDigest } from '../../../../db/flows/checkContext.ts';
import { checkedFacts, createFlow, publishDraft } from '../../../../db/flows/commands.ts';
import { readHolidays } from '../../../../db/flows/holidays.ts';
import { flowOf, loadFlows } from '../../../../db/flows/loaded.ts';
import { saveSecret } from '../../../../db/flows/secrets.ts';
import { newId } from '../../../../db/kernel/clock.ts';
import type { Tx } from '../../../../db/kernel/tx.ts';
import { type OrderItem, OrderItemEntity } from '../../../../db/orders/entities.ts';
import { createProduct } from '../../../../db/products/registration.ts';
import { patchStore } from '../../../../db/stores/commands.ts';
import { recordUpload } from '../../../../db/uploads/commands.ts';
import { checkGraph } from '../../../../domain/flows/check/checkGraph.ts';
import { contextOf } from '../../../../domain/flows/check/context.ts';
import type { Flow } from '../../../../domain/flows/run/flow.ts';
import type { Simulation } from '../../../../domain/flows/rehearse/simulate.ts';
import { PLATFORM_FIELDS } from '../../../../domain/orders/platform.ts';
import { uploadKey } from '../../../../domain/uploads/rules.ts';
import { type CommandContent, type CommandEnvelope, orderGroupRun, orderItemRun } from '../../../../workflows/kernel/messages.ts';
import type { RunName } from '../../../../workflows/kernel/start.ts';
import type { Host } from '../../runs/hosted.ts';
import type { Pen } from '../../../units/flows/pen.ts';
import { Service } from '../externalFlow.ts';
import { CONNECTION, type DrawnFlow } from './drawn.ts';

export const SETTINGS = { autoDeliverDays: 4, autoConfirmDays: 9 };
/** How many lines an order has. */
const LINES = 10;
/** A busy machine takes its time. */
const PATIENCE_MS = 60_000;

/** An item, the run that moves it, and the flow that was drawn for it. */
export interface BoughtItem {
  readonly run: RunName;
  readonly orderItemId: string;
  /** Its group, or itself. */
  readonly isGrouped: boolean;
  readonly flow: Flow;
  readonly drawn: DrawnFlow;
  readonly facts: Simulation['item'];
}

export class RandomShop {
  readonly under: Host;
  readonly holidays: ReadonlySet<string>;
  /** Uploads of the store, by their addresses. */
  readonly uploads: Readonly<Record<string, string>>;
  readonly #categoryId: string;
  readonly #service: Service;
  private constructor(under: Host, service: Service, opened: Awaited<ReturnType<typeof open>>) {
    this.under = under;
    this.#service = service;
    this.holidays = opened.holidays;
    this.uploads = opened.uploads;
    this.#categoryId = opened.categoryId;
  }
  static async open(under: Host): Promise<RandomShop> {
    const service = await Service.listen((response, { path }) => response.writeHead(path === '/success' ? 200 : 500).end('heard'));
    const opened = await under.inTenant((tx) => open(tx, under, service.url));
    return new RandomShop(under, service, opened);
  }
  close = (): void => this.#service.close();

  /** Sent again, as the API does, where the server has lost the update of a run that has closed: its key makes that harmless. */
  async command(run: RunName, name: CommandContent['name'], input: object, wait: CommandEnvelope['wait'] = 'committed'): Promise<void> {
    const key = randomUUID();
    const operation = { principal: 't', key, id: 't', fingerprint: key };
    for (let left = 5; ; left--)
      try {
        return await this.under.command(run, name, input, { operation, wait, notAfter: Date.now() + PATIENCE_MS });
      } catch (error) {
        if (left === 0 || !(error instanceof ServiceError)) throw error;
      }
  }

  /** Publishes the flows and buys a product of each. */
  async sell(drawn: readonly DrawnFlow[], pen: Pen): Promise<readonly BoughtItem[]> {
    const items: BoughtItem[] = [];
    for (let i = 0; i < drawn.length; i += LINES) items.push(...(await this.#order(drawn.slice(i, i + LINES), pen)));
    return items;
  }

  async #order(drawn: readonly DrawnFlow[], pen: Pen): Promise<readonly BoughtItem[]> {
    const { under } = this;
    const productIds = await under.inTenant(async (tx) => {
      const all: string[] = [];
      for (const one of drawn) all.push(await product(tx, one, this.#categoryId));
      return all;
    });
    const payment = await under.payment(productIds.map((productId) => ({ productId, quantity: pen.count(1, 3) })));
    await this.command(payment.run, 'pay', await under.authenticated(payment), 'idle');
    return under.inTenant(async (tx) => {
      const { em, storeId } = tx;
      const items = await em.find(
        OrderItemEntity,
        { storeId, orderItemNo: { $like: `${payment.orderNo}%` } },
        { orderBy: { position: 'asc' } },
      );
      await loadFlows(tx, items);
      return items.map((item, i) => bought(item, drawn[i]!));
    });
  }
}

async function open(tx: Tx, { keyring, storeId }: Host, url: string) {
  const { em, at } = tx;
  await patchStore(tx, SETTINGS);
  await saveSecret(tx, keyring, CONNECTION, { url, headerName: 'X-Key', headerValue: 'x' });
  const { categoryId } = await createCategory(tx, { name: 'random' });
  const contentType = 'image/png' as const;
  const ids = [newId('upl', at), newId('upl', at)];
  for (const uploadId of ids)
    recordUpload(tx, {
      storeId,
      uploadId,
      contentType,
      purpose: 'flow-attachment',
      principal: 't',
      size: 1,
      sha256: Buffer.alloc(32),
      isNamed: false,
      createdAt: new Date(at),
    });
  await em.flush();
  const uploads = Object.fromEntries(ids.map((id) => [`https://shop.example/${uploadKey(storeId, id, contentType)}`, id]));
  return { categoryId, uploads, holidays: await readHolidays(tx) };
}

/** A product that takes the flow. */
async function product(tx: Tx, { flows }: DrawnFlow, categoryId: string): Promise<string> {
  let flowId = '';
  for (const { key, graph } of flows) {
    ({ flowId } = await createFlow(tx, { key, name: key, graph }));
    const draft = await checkedFacts(tx, flowId);
    await publishDraft(tx, flowId, { digest: factsDigest(draft), checked: checkGraph(draft.graph, contextOf(draft, PLATFORM_FIELDS)) });
  }
  const wanted = { name: flows.at(-1)!.key, salePrice: 10_000, stockQuantity: 10, fulfillment: { type: 'MANUAL' } as const };
  return (await createProduct(tx, { ...wanted, categoryId, flowId }, 'random')).product.productId;
}

function bought(item: OrderItem, drawn: DrawnFlow): BoughtItem {
  const { orderItemId, groupId, quantity, unitPriceWon: unitPrice } = item;
  const run = groupId ? orderGroupRun({ ...item, groupId }) : orderItemRun(item);
  const facts = { quantity, unitPrice, option: {}, stay: null };
  return { run, orderItemId, isGrouped: groupId !== null, flow: flowOf(item), drawn, facts };
}
