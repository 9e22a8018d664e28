import { Migration } from '@mikro-orm/migrations';
import { audited } from './auditing.ts';

/** Decisions about agents' requests leave their record (G47). */
export class AuditedDecisions0025 extends Migration {
  override up(): void {
    for (const sql of decisions) this.addSql(sql);
  }
}

const decisions = audited({
  action: 'APPROVAL_DECIDED',
  table: 'approval_request',
  on: 'UPDATE OF decision',
  when: 'OLD.decision IS NULL AND NEW.decision IS NOT NULL',
  target: ['APPROVAL', 'approval_id'],
  metadata: { decision: 'NEW.decision', via: 'NEW.decided_via' },
});
