/** Text of commands, stored here for the transition, because nothing personal passes through Temporal (X24). */
import { newId } from '../kernel/clock.ts';
import { type Em, sql } from '../kernel/tx.ts';

/** Stores a text and returns its id for a command. A text that no transition consumes is deleted after a day. */
export async function storeText(em: Em, storeId: string, text: string, realNow: number): Promise<string> {
  const textId = newId('txt', realNow);
  await sql(em, 'INSERT INTO command_text (store_id, text_id, text, created_at) VALUES (?, ?, ?, ?)', [
    storeId,
    textId,
    text,
    new Date(realNow),
  ]);
  return textId;
}

/** Deletes and returns a text; null when it is gone, or when the command has none. */
export async function consumeText(em: Em, storeId: string, textId: string | undefined): Promise<string | null> {
  if (textId === undefined) return null;
  const [row] = await sql<{ text: string }>(em, 'DELETE FROM command_text WHERE store_id = ? AND text_id = ? RETURNING text', [
    storeId,
    textId,
  ]);
  return row?.text ?? null;
}
