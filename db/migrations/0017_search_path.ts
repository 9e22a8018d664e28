import { Migration } from '@mikro-orm/migrations';

/**
 * Postgres looks for tables among a session's temporary ones first, unless the path names them: whoever calls a function of more rights
 * than its own could put a view of its own in a table's place, and have it read as the function's owner. Named last, they hide nothing.
 */
export class SearchPath0017 extends Migration {
  override name = '0017_search_path';

  override up(): void {
    this.addSql(`DO $$ DECLARE f regprocedure; BEGIN
      FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef AND 'search_path=public' = ANY (proconfig)
      LOOP EXECUTE format('ALTER FUNCTION %s SET search_path = public, pg_temp', f); END LOOP; END $$`);
    // The rule since Postgres 15; a database that was upgraded may still let everybody make functions there.
    this.addSql('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
  }
}
