import { Migration } from '@mikro-orm/migrations';
import { DEFINER } from './tenancy.ts';

/**
 * The parts of a bulk are committed one by one, and each adds its changes to the one record of their request (G42): the only update that a
 * record of the audit log takes, and only through a function.
 */
export class BulkRecords0024 extends Migration {
  override up(): void {
    for (const sql of statements) this.addSql(sql);
  }
}

const statements = [
  'DROP TRIGGER audit_request_immutable ON audit_request',
  `CREATE TRIGGER audit_request_immutable BEFORE DELETE OR TRUNCATE ON audit_request FOR EACH STATEMENT
    EXECUTE FUNCTION audit_is_immutable()`,
  `CREATE FUNCTION audit_request_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     IF (to_jsonb(NEW) - 'metadata') <> (to_jsonb(OLD) - 'metadata') OR (NEW.metadata - 'changes') <> (OLD.metadata - 'changes')
       OR NOT (NEW.metadata -> 'changes') @> (OLD.metadata -> 'changes') THEN
       RAISE EXCEPTION 'records of the audit log are neither changed nor deleted';
     END IF;
     RETURN NEW; END $$`,
  `CREATE TRIGGER request_record_grows BEFORE UPDATE ON audit_request FOR EACH ROW EXECUTE FUNCTION audit_request_only_grows()`,
  `CREATE FUNCTION append_audit_changes(of_request text, lines jsonb) RETURNS void LANGUAGE sql ${DEFINER} AS $$
     UPDATE audit_request SET metadata = jsonb_set(metadata, '{changes}', coalesce(metadata -> 'changes', '[]') || lines)
     WHERE store_id = current_setting('app.store_id') AND audit_id = replace(of_request, 'req_', 'aud_') $$`,
  'REVOKE ALL ON FUNCTION append_audit_changes(text, jsonb) FROM PUBLIC',
  'GRANT EXECUTE ON FUNCTION append_audit_changes(text, jsonb) TO sangjeom_app',
];
