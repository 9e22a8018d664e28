/** What a person wrote with a command. It waits here for its transition, because nothing personal passes through Temporal. */
import { newId } from '../kernel/clock.ts';
import { type Em, sql } from '../kernel/tx.ts';

/** Keeps a text aside and answers its id, which a command may carry. What no transition came for is swept after a day. */
export async function keepText(em: Em, storeId: string, text: string, realNow: number): Promise<string> {
  const textId = newId('txt', realNow);
  await sql(em, 'INSERT INTO command_text (store_id, text_id, text, created_at) VALUES (?, ?, ?, ?)', [
    storeId,
    textId,
    text,
    new Date(realNow),
  ]);
  return textId;
}

/** Takes a text back, in the transaction that makes use of it; null when the command carried none. */
export async function takeText(em: Em, storeId: string, textId: string | undefined): Promise<string | null> {
  if (textId === undefined) return null;
  const [row] = await sql<{ text: string }>(em, 'DELETE FROM command_text WHERE store_id = ? AND text_id = ? RETURNING text', [
    storeId,
    textId,
  ]);
  return row?.text ?? null;
}
