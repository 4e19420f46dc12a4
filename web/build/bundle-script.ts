import { join } from "node:path";
import { build, type Rollup } from "vite";
import { buildTargets } from "../src/browser/browser-floor.ts";

const root = join(import.meta.dirname, "..");

/**
 * Bundles one source into a classic script without imports, for places where a browser accepts no module.
 * `define` replaces names by code, like Vite's option of that name.
 */
export async function bundleScript(source: string, define: Record<string, string> = {}): Promise<string> {
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
