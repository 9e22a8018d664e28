/** A page of a list; `page` counts from 1. */
export interface PageRequest {
  readonly page: number;
  readonly size: number;
}
export const offset = ({ page, size }: PageRequest) => ({ limit: size, offset: (page - 1) * size });
