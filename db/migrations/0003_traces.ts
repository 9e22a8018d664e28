import { Migration } from '@mikro-orm/migrations';

/** A run that the relay starts belongs to the trace of the request that caused it (W3C `traceparent`; null when tracing is off). */
export class Traces0003 extends Migration {
  override name = '0003_traces';

  override up(): void {
    this.addSql('ALTER TABLE outbox ADD traceparent text');
  }
}
