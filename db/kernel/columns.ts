import { p } from '@mikro-orm/core';

/** Column types that entities share. Times are `timestamptz(3)`. */
export const storeId = () => p.string().primary();
export const time = () => p.datetime(3);
export const times = () =>
  p
    .array(
      (text) => new Date(text),
      (at) => at.toISOString(),
    )
    .columnType('timestamptz(3)[]');
export const won = () => p.integer();
export const textList = <T extends string = string>() => p.array().$type<T[]>();
