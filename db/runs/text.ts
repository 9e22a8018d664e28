/** Text of commands, stored here for the transition, because nothing personal passes through Temporal (X24). */
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';

/** Stores a text and returns its id for a command. A text that no transition consumes is deleted after a day. */
export async function storeText({ sql, storeId, realNow }: Tx, text: string): Promise<string> {
  const textId = newId('txt', realNow);
  await sql`INSERT INTO command_text (store_id, text_id, text, created_at) VALUES (${storeId}, ${textId}, ${text}, ${new Date(realNow)})`;
  return textId;
}

/** Deletes and returns a text; null when it is gone, or when the command has none. */
export async function consumeText({ sql, storeId }: Tx, textId: string | undefined): Promise<string | null> {
  if (textId === undefined) return null;
  const [row] = await sql<{ text: string }>`DELETE FROM command_text WHERE store_id = ${storeId} AND text_id = ${textId} RETURNING text`;
  return row?.text ?? null;
}
