import { join } from "node:path";
import { build, type Plugin, type Rollup } from "vite";
import { buildTargets } from "../src/browser/browser-floor.ts";
import { createHash } from "node:crypto";

const root = join(import.meta.dirname, "..");

/**
 * Bundles one source into a classic script without imports, for places where a browser accepts no module.
 * `define` replaces names by code, like Vite's option of that name.
 */
async function bundleScript(source: string, define: Record<string, string> = {}): Promise<string> {
  const built = (await build({
    root,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    define,
    build: {
      write: false,
      target: buildTargets,
      modulePreload: false,
      rolldownOptions: { input: join(root, source), output: { format: "iife" } },
    },
  })) as Rollup.RollupOutput;
  const [chunk, ...others] = built.output;
  if (others.length > 0) throw new Error(`${source} must be bundled into one file, but needs ${others.length + 1}.`);
  return chunk.code;
}

const EARLY = "src/early.ts";
const DEVELOPMENT_PATH = "/early.js";

/**
 * Adds the script that runs before the first paint to the head. It is inline, because a file would be a round trip in which the page
 * is blank; the service allows it by its hash (`server/src/pages/security-headers.ts`). In development it is a file.
 */
export function earlyScript(): Plugin {
  let code = "";
  return {
    name: "farline-early-script",
    async generateBundle() {
      code = (await bundleScript(EARLY)).trim();
      if (code.includes("</script")) throw new Error(`${EARLY} would end its own element.`);
    },
    transformIndexHtml: {
      order: "post",
      handler: (_html, { server }) => [
        {
          tag: "script",
          injectTo: "head-prepend",
          ...(server === undefined ? { children: code } : { attrs: { src: DEVELOPMENT_PATH } }),
        },
      ],
    },
    configureServer(server) {
      server.middlewares.use(DEVELOPMENT_PATH, async (_request, response) => {
        response.setHeader("Content-Type", "text/javascript");
        response.end(await bundleScript(EARLY));
      });
    },
  };
}

const WORKER = "src/worker/service-worker.ts";
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
        const source = await bundleScript(WORKER, {
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
