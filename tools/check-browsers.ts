import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Use } from "./browsers/compat.ts";
import { ownNames, scanScript } from "./browsers/scan-script.ts";
import { scanStyles } from "./browsers/scan-styles.ts";

/**
 * Fails if a built file needs what a supported browser lacks (`web/src/browser/browser-floor.ts`): the app, the public pages, the service worker and the
 * operators' console, with the scripts and styles inside the pages.
 */
const FOLDERS = ["web/dist", "web/renderer/dist"];

/** What may be missing: why the product works without it, and the features. */
const MAY_BE_MISSING: readonly (readonly [why: string, ...features: string[]])[] = [
  ["React uses them only where they exist", ".createPolicy()", ".skipTransition()", ".startViewTransition()"],
  ["the texts' library calls its own plug-in, which we do not have", ".detect()"],
  [
    "the voice engine tries first whether they exist",
    ".copyTo()",
    ".getCapabilities()",
    ".setCodecPreferences()",
    ".addStream()",
  ],
  [
    "the passkeys' library tries first whether they exist",
    ".getTransports()",
    ".getPublicKeyAlgorithm()",
    ".getPublicKey()",
    ".getAuthenticatorData()",
  ],
  ["the console's schemas try first whether it exists", "URL.canParse()"],
  ["the speaker is offered only where it can be chosen (`phone/device`)", ".setSinkId()"],
  ["a refusal is caught, and pasting by hand explained (`dialer/call/call-panel.tsx`)", ".readText()"],
  ["used only where there is a media session (`dialer/call/accompany-call.ts`)", "new MediaMetadata", ".setActionHandler()"],
  ["the mouse pointer only", "cursor: pointer", "cursor: not-allowed", "cursor: default"],
  ["the field keeps its height", "resize", "resize: vertical"],
  ["a scrollbar looks like the system's", "scrollbar-color", "scrollbar-width", "scrollbar-width: thin"],
  ["lines of a heading break elsewhere", "text-wrap", "text-wrap: balance"],
  ["appears without a movement", "@starting-style"],
  ["rows off the screen are laid out at once", "content-visibility", "content-visibility: auto", "contain-intrinsic-size"],
  ["without scripts, the parts that need them stay on the page", "@media (scripting)"],
];
const mayBeMissing = new Set(MAY_BE_MISSING.flatMap(([, ...features]) => features));

const scripts = new Map<string, string>();
const styles = new Map<string, string>();
for (const folder of FOLDERS)
  for (const name of globSync("**/*.{js,css,html}", { cwd: folder })) {
    if (name === "server-entry.js") continue;
    const file = join(folder, name);
    const text = readFileSync(file, "utf8");
    if (name.endsWith(".js")) scripts.set(file, text);
    else if (name.endsWith(".css")) styles.set(file, text);
    else {
      scripts.set(file, inside(text, /<script>([^]*?)<\/script>/g));
      styles.set(file, inside(text, /<style>([^]*?)<\/style>/g));
    }
  }

const own = ownNames([...scripts.values()]);
const used = new Set<string>();
const faults = new Map<string, string[]>();
for (const [file, code] of scripts) report(file, scanScript(code, own));
for (const [file, css] of styles) report(file, scanStyles(css));
for (const [fault, files] of faults)
  console.log(`${fault}: ${files.slice(0, 3).join(", ")}${files.length > 3 ? ` and ${files.length - 3} more` : ""}`);
const unused = [...mayBeMissing].filter((feature) => !used.has(feature));
for (const feature of unused) console.log(`MAY_BE_MISSING names "${feature}", which nothing needs.`);
if (scripts.size === 0) console.log("Nothing is built yet. Run npm run build.");
if (faults.size > 0 || unused.length > 0 || scripts.size === 0) process.exitCode = 1;

function report(file: string, uses: readonly Use[]): void {
  for (const { feature, missing } of uses) {
    if (mayBeMissing.has(feature)) used.add(feature);
    else {
      const fault = `${feature} is missing in ${missing}`;
      faults.set(fault, [...(faults.get(fault) ?? []), file]);
    }
  }
}

function inside(html: string, element: RegExp): string {
  return [...html.matchAll(element)].map(([, text = ""]) => text).join("\n");
}
