/** DOMAIN records by triggers (G46): whoever changes a row, by whatever statement, leaves its record in the same transaction. */
import { type DomainAction, SYSTEM } from '../../domain/audit/rules.ts';
import { DEFINER } from './tenancy.ts';

const REFUSAL = `RAISE EXCEPTION USING ERRCODE = 'integrity_constraint_violation', MESSAGE`;
/** SECURITY DEFINER functions that only triggers may call. */
const internal = (signature: string, returns: string, body: string): string[] => [
  `CREATE FUNCTION ${signature} RETURNS ${returns} LANGUAGE plpgsql ${DEFINER} AS $$ ${body} $$`,
  `REVOKE ALL ON FUNCTION ${signature.replaceAll(/\w+ (text|jsonb|timestamptz)/g, '$1')} FROM PUBLIC`,
];

/** A change of a row, and the record that it leaves. The row itself has all that the record tells, so that the order of writes is free. */
export interface Audited {
  readonly action: DomainAction;
  readonly table: string;
  readonly on: 'INSERT' | 'DELETE' | `UPDATE OF ${string}`;
  /** SQL over OLD and NEW; absent: every such change. */
  readonly when?: string;
  /** The target's type, and the column of the row with its id. */
  readonly target: readonly [type: string, column: string];
  /** SQL: the fields of `metadata` and their values. */
  readonly metadata: Readonly<Record<string, string>>;
  /** SQL: the id of the refund that the change requested, where it may request one; the metadata then has its `refundAmount`. */
  readonly refundId?: string;
}

/**
 * A trigger that writes the record, with the origin of the transaction (`app.origin`, db/kernel/tx.ts), and a constraint trigger that
 * refuses the commit of a change that has none.
 */
export function audited({ action, table, on, when, target: [type, column], metadata, refundId = 'NULL' }: Audited): string[] {
  const name = action.toLowerCase();
  const row = on === 'DELETE' ? 'OLD' : 'NEW';
  const fields = Object.entries(metadata).flatMap(([field, value]) => [`'${field}'`, value]);
  const change = `AFTER ${on} ON ${table}`;
  const condition = when === undefined ? '' : `WHEN (${when}) `;
  const forEach = `FOR EACH ROW ${condition}EXECUTE FUNCTION`;
  return [
    ...internal(
      `audit_${name}()`,
      'trigger',
      `BEGIN
         PERFORM record_domain(${row}.store_id, '${action}', '${type}', ${row}.${column}, jsonb_build_object(${fields.join(', ')}),
           ${refundId});
         RETURN NULL;
       END`,
    ),
    `CREATE TRIGGER audit_${name} ${change} ${forEach} audit_${name}()`,
    `CREATE CONSTRAINT TRIGGER audited_${name} ${change} DEFERRABLE INITIALLY DEFERRED ${forEach}
       has_domain_record('${action}', '${type}', '${column}')`,
  ];
}

const MS = 2n ** 80n;
const [VERSION, UPPER, VARIANT] = [7n * 2n ** 76n, 2n ** 64n, 2n ** 63n];
/** `new_audit_id` makes ids like domain/kernel/ids.ts. */
const ids = internal(
  'new_audit_id(at timestamptz)',
  'text',
  `DECLARE
     digits text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
     random text := replace(gen_random_uuid()::text, '-', '');
     rest numeric := trunc(extract(epoch FROM at) * 1000) * ${MS} + ${VERSION} + ${VARIANT}
       + ('x0' || substr(random, 14, 3))::bit(16)::integer * ${UPPER}::numeric + ('x0' || substr(random, 18, 15))::bit(64)::bigint;
     id text := '';
   BEGIN
     FOR n IN 1..22 LOOP
       id := substr(digits, mod(rest, 62)::integer + 1, 1) || id;
       rest := div(rest, 62);
     END LOOP;
     RETURN 'aud_' || id;
   END`,
);

/**
 * Writes a record: at the business time of the transaction, and for changes by hand, to which no time was passed, at that of the store's
 * clock.
 */
const recording = internal(
  'record_domain(of_store text, of_action text, of_type text, of_target text, facts jsonb, of_refund text)',
  'void',
  `DECLARE
     origin jsonb := coalesce(nullif(current_setting('app.origin', true), ''), '{}')::jsonb;
     actor jsonb := coalesce(nullif(origin -> 'actor', 'null'), '${JSON.stringify(SYSTEM)}');
     at timestamptz(3) := coalesce(to_timestamp((origin ->> 'at')::double precision / 1000),
       (SELECT clock_timestamp() + clock_offset_ms * interval '1 millisecond' FROM store WHERE store_id = of_store));
   BEGIN
     INSERT INTO audit_domain (store_id, audit_id, created_at, actor_type, actor_id, actor_name, action, target_type, target_id,
       request_id, approval_id, refund_id, transaction_id, metadata)
     VALUES (of_store, new_audit_id(at), at, actor ->> 'type', actor ->> 'id',
       coalesce(actor ->> 'name', actor_name(actor ->> 'type', actor ->> 'id'), actor ->> 'id'), of_action, of_type, of_target,
       origin ->> 'requestId', origin ->> 'approvalId', of_refund, pg_current_xact_id()::text::bigint,
       coalesce(origin -> 'metadata', '{}') || facts);
   END`,
);

/** The check of a change, with its record's action, target type and column of the target's id; and that of a refund. */
const checks = [
  ...internal(
    'has_domain_record()',
    'trigger',
    `DECLARE
       changed jsonb := CASE TG_OP WHEN 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END;
     BEGIN
       IF NOT EXISTS (SELECT 1 FROM audit_domain WHERE store_id = changed ->> 'store_id' AND action = TG_ARGV[0]
           AND target_type = TG_ARGV[1] AND target_id = changed ->> TG_ARGV[2]
           AND transaction_id = pg_current_xact_id()::text::bigint) THEN
         ${REFUSAL} = format('%s of %s has no audit record', TG_ARGV[0], changed ->> TG_ARGV[2]);
       END IF;
       RETURN NULL;
     END`,
  ),
  ...internal(
    'refund_has_domain_record()',
    'trigger',
    `BEGIN
       IF NOT EXISTS (SELECT 1 FROM audit_domain WHERE store_id = NEW.store_id AND refund_id = NEW.refund_id
           AND metadata ->> 'refundAmount' = NEW.amount_won::text) THEN
         ${REFUSAL} = format('refund %s has no audit record of %s won', NEW.refund_id, NEW.amount_won);
       END IF;
       RETURN NULL;
     END`,
  ),
  `CREATE CONSTRAINT TRIGGER refund_audited AFTER INSERT ON refund DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
     EXECUTE FUNCTION refund_has_domain_record()`,
];

/** The functions of all `audited` changes. */
export const auditing = [...ids, ...recording, ...checks];
