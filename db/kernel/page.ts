/** The stock of a variant as its seller changes it. */

export interface PageRequest {
  readonly page: number;
  readonly size: number;
}
export const offset = ({ page, size }: PageRequest) => ({ limit: size, offset: (page - 1) * size });
