import { qualityBand, type QualityBand } from "./call-quality.ts";

/** A label that changes too often helps nobody. */
const MIN_SHOWN_MS = 3000;

/** Turns scores into the label to show, which stays for at least 3 s. */
export function createBandShown(): (mos: number) => QualityBand {
  let shown: QualityBand | null = null;
  let shownAtMs = 0;
  return (mos) => {
    const band = qualityBand(mos);
    if (shown === null || (band !== shown && performance.now() - shownAtMs >= MIN_SHOWN_MS)) {
      shown = band;
      shownAtMs = performance.now();
    }
    return shown;
  };
}
