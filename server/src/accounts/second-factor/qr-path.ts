import { encodeQR } from "qr";

/** Quiet zone in modules, required by scanners (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** Encodes a text as a QR code: one SVG path of dark modules on a square of `size` units, including the quiet zone. */
export function qrPath(text: string): { size: number; path: string } {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: QUIET_ZONE });
  const path = rows
    .map((row, y) =>
      darkRuns(row)
        .map(({ x, length }) => `M${x} ${y}h${length}v1h-${length}z`)
        .join(""),
    )
    .join("");
  return { size: rows.length, path };
}

function darkRuns(row: readonly boolean[]): { x: number; length: number }[] {
  const runs: { x: number; length: number }[] = [];
  for (const [x, dark] of row.entries()) {
    const last = runs.at(-1);
    if (!dark) continue;
    if (last !== undefined && last.x + last.length === x) last.length += 1;
    else runs.push({ x, length: 1 });
  }
  return runs;
}
