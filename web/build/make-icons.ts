import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Renders the installed app's icons from the logo: `npx node web/build/make-icons.ts`. The images are committed; run it when
 * the logo changes. It needs Chromium.
 */
const chromium = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium-headless-shell";
const root = join(import.meta.dirname, "..");
const mark = readFileSync(join(root, "src/assets/mark-yellow.svg"), "utf8");
const GROUND = "#FFC933";
/** A maskable icon may be cropped to a circle of 80 % of its width (W3C manifest, safe zone), so the drawing stays inside. */
const SAFE_SHARE = 0.72;

const icons = [
  { file: "icon-192.png", pixels: 192, share: 1 },
  { file: "icon-512.png", pixels: 512, share: 1 },
  { file: "maskable-512.png", pixels: 512, share: SAFE_SHARE },
  { file: "apple-touch-icon.png", pixels: 180, share: 0.86 },
];

const folder = mkdtempSync(join(tmpdir(), "farline-icons-"));
for (const { file, pixels, share } of icons) {
  const page = join(folder, "icon.html");
  const ground = share < 1 ? GROUND : "transparent";
  const size = Math.round(pixels * share);
  const place = `position:absolute;left:${(pixels - size) / 2}px;top:${(pixels - size) / 2}px;width:${size}px;height:${size}px`;
  writeFileSync(page, `<body style="margin:0;background:${ground}">${mark.replace("<svg", `<svg style="${place}"`)}`);
  execFileSync(chromium, [
    "--headless",
    "--no-sandbox",
    "--hide-scrollbars",
    "--default-background-color=00000000",
    `--window-size=${pixels},${pixels}`,
    `--screenshot=${join(root, "public/icons", file)}`,
    `file://${page}`,
  ]);
}
rmSync(folder, { recursive: true });
