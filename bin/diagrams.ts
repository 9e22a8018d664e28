/** `npm run diagrams`: draws every state machine and every flow into `docs/states.md`. A test compares. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualStandard } from '../domain/flows/presets/manualStandard.ts';
import { shippingStandard } from '../domain/flows/presets/shippingStandard.ts';
import { deliveries, invitations, payments } from './dev/machines.ts';
import { diagram, flowDiagram } from './dev/mermaid.ts';
import { root } from './kernel/paths.ts';

/** The page as it should be. */
export function statesPage(): string {
  const refunds = payments((payment) => payment.refund?.status ?? 'none').filter(({ from }) => from !== 'none');
  return `# States

Drawn from the code by \`npm run diagrams\`; a test compares. Labels are events; \`confirmPayment: DECLINED\` is the outcome of a call.

## Checkout payment

${diagram(
  'pending',
  payments(({ status }) => status),
  ['completed', 'failed', 'expired'],
)}

## Payment attempt

${diagram(
  'OPEN',
  payments(({ attempt: tried }) => tried!.status),
  ['APPROVED', 'DECLINED', 'CANCELED', 'VOIDED', 'UNRESOLVED'],
)}

## Refund

HELD becomes PENDING when the seller processes it.

${diagram('PENDING', refunds, ['DONE', 'FAILED'])}

## Webhook delivery

${diagram('PENDING', deliveries(), ['SUCCESS', 'FAILED'])}

## Invitation

${diagram('PENDING', invitations(), ['ACCEPTED', 'CANCELED'])}

## Order item: shipping-standard

${flowDiagram(shippingStandard)}

## Order item: manual-standard

${flowDiagram(manualStandard)}
`;
}

if (import.meta.main) writeFileSync(join(root, 'docs/states.md'), statesPage());
