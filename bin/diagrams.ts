/** `npm run diagrams`: draws every state machine and every flow into `docs/states.md`. A test compares. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualStandard } from '../domain/flows/presets/manualStandard.ts';
import { shippingStandard } from '../domain/flows/presets/shippingStandard.ts';
import { approvals, claims, deliveries, invitations, payments } from './dev/machines.ts';
import { diagram, flowDiagram } from './dev/mermaid.ts';
import type { WorkflowType } from '../workflows/kernel/messages.ts';
import { root } from './kernel/paths.ts';

const CLOSED = ['COMPLETED', 'REJECTED', 'WITHDRAWN'];
const section = (title: string, drawn: string): string => `## ${title}\n\n${drawn}`;

/** The diagrams of each workflow type. */
const SECTIONS: Readonly<Record<WorkflowType, () => readonly string[]>> = {
  payment() {
    const paid = payments(({ status }) => status);
    const tried = payments(({ attempt }) => attempt!.status);
    const refunds = payments(({ refund }) => refund?.status ?? 'none').filter(({ from }) => from !== 'none');
    return [
      section('Checkout payment', diagram('pending', paid, ['completed', 'failed', 'expired'])),
      section('Payment attempt', diagram('OPEN', tried, ['APPROVED', 'DECLINED', 'CANCELED', 'VOIDED', 'UNRESOLVED'])),
      section('Refund', `HELD becomes PENDING when the seller processes it.\n\n${diagram('PENDING', refunds, ['DONE', 'FAILED'])}`),
    ];
  },
  webhookDelivery: () => [section('Webhook delivery', diagram('PENDING', deliveries(), ['SUCCESS', 'FAILED']))],
  /** No states: it ends the deliveries of a suspended or deleted webhook, a portion at a time. */
  webhookSubscription: () => [],
  approval: () => [section('Approval request', diagram('PENDING', approvals(), ['SUCCEEDED', 'FAILED', 'UNKNOWN', 'REJECTED', 'EXPIRED']))],
  /** No states: it mails what waits. */
  approvalNotice: () => [],
  claim: () => [
    section('Claim: cancel, or return of what is not shipped', diagram('REQUESTED', claims('CANCEL'), CLOSED)),
    section('Claim: return', diagram('REQUESTED', claims('RETURN'), CLOSED)),
    section('Claim: exchange', diagram('REQUESTED', claims('EXCHANGE'), CLOSED)),
  ],
  invitation: () => [section('Invitation', diagram('PENDING', invitations(), ['ACCEPTED', 'CANCELED']))],
  /** The flow of its items. */
  orderGroup: () => [],
  /** Its state machine is the flow that its product was sold with. */
  orderItem: () => [
    section('Order item: shipping-standard', flowDiagram(shippingStandard)),
    section('Order item: manual-standard', flowDiagram(manualStandard)),
  ],
};

/** The generated page. */
export const statesPage = (): string => `# States

Drawn from the code by \`npm run diagrams\`; a test compares. Labels are events; \`confirmPayment: DECLINED\` is the outcome of a call.

${Object.values(SECTIONS)
  .flatMap((sections) => sections())
  .join('\n\n')}
`;

if (import.meta.main) writeFileSync(join(root, 'docs/states.md'), statesPage());
