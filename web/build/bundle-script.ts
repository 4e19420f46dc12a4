import { join } from "node:path";
import { build, type Rollup } from "vite";

const root = join(import.meta.dirname, "..");

/**
 * Bundles one source into a classic script that needs no other file: for the places where a browser takes no module.
 * `define` replaces names by code, as Vite's option of that name does.
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
      target: "es2022",
      modulePreload: false,
      rolldownOptions: { input: join(root, source), output: { format: "iife" } },
    },
  })) as Rollup.RollupOutput;
  const [chunk, ...others] = built.output;
  if (others.length > 0) throw new Error(`${source} must be bundled into one file, but needs ${others.length + 1}.`);
  return chunk.code;
}
