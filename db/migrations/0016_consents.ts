import { Migration } from '@mikro-orm/migrations';
import { swept, sweeping } from './sweeping.ts';

/** Questions that nobody answered go like the logins that they were to become (X26). */
export class Consents0016 extends Migration {
  override name = '0016_consents';

  override up(): void {
    const questions = sweeping({
      kind: 'consent_requests',
      due: 'SELECT consent_id FROM consent_request WHERE expires_at < before ORDER BY expires_at',
      remove: 'gone AS (DELETE FROM consent_request c USING due WHERE c.consent_id = due.consent_id RETURNING 1)',
    });
    for (const sql of [...swept('consent_request', null), ...questions]) this.addSql(sql);
  }
}
