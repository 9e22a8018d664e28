/** Postal codes with a surcharge, version 2026-11. Ranges are inclusive. Chuja and Udo lie in Jeju but are ISOLATED. */
export type RemoteArea = 'NONE' | 'JEJU' | 'ISOLATED';

const ISOLATED: readonly (readonly [number, number])[] = [
  [22386, 22388],
  [23004, 23010],
  [23100, 23116],
  [23124, 23136],
  [31708, 31708],
  [32133, 32133],
  [33411, 33411],
  [40200, 40240],
  [46768, 46771],
  [52570, 52571],
  [53031, 53033],
  [53089, 53104],
  [56347, 56349],
  [57068, 57069],
  [58760, 58762],
  [58800, 58810],
  [58816, 58818],
  [58826, 58826],
  [58828, 58866],
  [58953, 58958],
  [59102, 59103],
  [59106, 59106],
  [59127, 59127],
  [59129, 59129],
  [59137, 59166],
  [59650, 59650],
  [59766, 59766],
  [59781, 59790],
  [63000, 63001],
  [63365, 63365],
];
const JEJU = [63000, 63644] as const;
const within = (code: number, [from, to]: readonly [number, number]) => code >= from && code <= to;

/** 62999 → NONE, 63002 → JEJU, 63644 → JEJU, 63645 → NONE, 63365 (Udo) → ISOLATED. */
export function remoteArea(zipCode: string): RemoteArea {
  const code = Number(zipCode);
  if (ISOLATED.some((range) => within(code, range))) return 'ISOLATED';
  return within(code, JEJU) ? 'JEJU' : 'NONE';
}
export const remoteAreaLabel = (area: RemoteArea): string | null => ({ NONE: null, JEJU: '제주', ISOLATED: '도서산간' })[area];
