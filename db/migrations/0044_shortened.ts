import { Migration } from '@mikro-orm/migrations';

/** Lists cut large values where they are stored, so that no process loads them (D90). Pure functions of their arguments. */
export class Shortened0044 extends Migration {
  override up(): void {
    for (const sql of functions) this.addSql(sql);
  }
}

const PURE = 'LANGUAGE sql IMMUTABLE PARALLEL SAFE';
const functions = [
  /** A value of at most so many characters: a longer text is cut and ends in …, anything else that is longer becomes its text, cut. */
  `CREATE FUNCTION shortened_value(value jsonb, most integer) RETURNS jsonb ${PURE} AS $$
     SELECT CASE
       WHEN length(CASE jsonb_typeof(value) WHEN 'string' THEN value #>> '{}' ELSE value::text END) <= most THEN value
       ELSE to_jsonb(left(CASE jsonb_typeof(value) WHEN 'string' THEN value #>> '{}' ELSE value::text END, most - 1) || '…') END $$`,
  /**
   * The first lines of changes, { field, before, after }: at most twenty with values of 2,000 characters, together at most so many bytes of
   * JSON. The first line stays even where it is larger: its values are then cut further, to an eighth of the bytes each in characters of
   * four bytes. As { changes, isTruncated }.
   */
  `CREATE FUNCTION shortened_changes(changes jsonb, bytes integer) RETURNS jsonb ${PURE} AS $$
     WITH line AS (
       SELECT n, line, jsonb_build_object('field', line -> 'field', 'before', shortened_value(line -> 'before', 2000),
         'after', shortened_value(line -> 'after', 2000)) AS cut
       FROM jsonb_array_elements(jsonb_path_query_array(changes, '$[0 to 19]')) WITH ORDINALITY AS given (line, n)),
     fitting AS (
       SELECT n, line, CASE WHEN n = 1 AND octet_length(cut::text) > bytes THEN jsonb_build_object('field', line -> 'field',
         'before', shortened_value(line -> 'before', bytes / 10), 'after', shortened_value(line -> 'after', bytes / 10)) ELSE cut END AS cut
       FROM line),
     summed AS (SELECT n, line, cut, sum(octet_length(cut::text) + 2) OVER (ORDER BY n) AS taken FROM fitting)
     SELECT jsonb_build_object(
       'changes', coalesce(jsonb_agg(cut ORDER BY n) FILTER (WHERE taken <= bytes OR n = 1), '[]'),
       'isTruncated', jsonb_array_length(changes) > count(*) FILTER (WHERE (taken <= bytes OR n = 1) AND cut = line))
     FROM summed $$`,
  ...['shortened_value(jsonb, integer)', 'shortened_changes(jsonb, integer)'].map(
    (signature) => `GRANT EXECUTE ON FUNCTION ${signature} TO sangjeom_app`,
  ),
];
