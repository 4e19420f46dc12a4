import { createHash } from "node:crypto";
import type { Plugin, Rollup } from "vite";
import { bundleScript } from "./bundle-script.ts";

const SOURCE = "src/worker/service-worker.ts";
const ENTRY = "index.html";
/** Images and fonts that every page of the app shows. */
const SHELL_ASSETS = [
  /geologica-latin-shrp-normal.*\.woff2$/,
  /\/mark-yellow-.*\.svg$/,
  /\/cord-empty-.*\.svg$/,
  /\/early-.*\.js$/,
];
const COMMON_TEXTS = /texts\/\w+\/common\.json$/;

/**
 * Builds `/service-worker.js` with the list of this build's shell files. The script changes with the list, so a browser
 * treats a new build as a new worker.
 */
export function serviceWorker(): Plugin {
  return {
    name: "farline-service-worker",
    apply: "build",
    generateBundle: {
      order: "post",
      async handler(_options, bundle) {
        const files = shellOf(bundle).toSorted();
        const page = bundle[ENTRY];
        const content = [...files, page?.type === "asset" ? page.source.toString() : ""].join("\n");
        const version = createHash("sha256").update(content).digest("base64url").slice(0, 12);
        const source = await bundleScript(SOURCE, {
          __SHELL_FILES__: JSON.stringify(files.map((file) => `/${file}`)),
          __SHELL_VERSION__: JSON.stringify(version),
        });
        this.emitFile({ type: "asset", fileName: "service-worker.js", source });
      },
    },
  };
}

/** The entry with its static imports, its styles, the texts of every page, and the shell's images. */
function shellOf(bundle: Rollup.OutputBundle): string[] {
  const outputs = Object.values(bundle);
  const entry = outputs.find((output) => output.type === "chunk" && output.isEntry && output.facadeModuleId?.endsWith(ENTRY));
  if (entry === undefined) throw new Error(`The build has no entry ${ENTRY}.`);
  const files = new Set<string>();
  const take = (file: string): void => {
    const output = bundle[file];
    if (output === undefined || files.has(file)) return;
    files.add(file);
    if (output.type !== "chunk") return;
    for (const style of output.viteMetadata?.importedCss ?? []) files.add(style);
    for (const next of output.imports) take(next);
  };
  take(entry.fileName);
  for (const output of outputs) {
    if (output.type === "chunk" && COMMON_TEXTS.test(output.facadeModuleId ?? "")) take(output.fileName);
    if (SHELL_ASSETS.some((shape) => shape.test(output.fileName))) files.add(output.fileName);
  }
  return [...files];
}
