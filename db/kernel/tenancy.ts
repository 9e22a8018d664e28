/** In place of a store: row-level security shows no store's rows. */
export const NO_STORE = '-';
