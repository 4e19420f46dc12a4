import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const PACKED_TYPES = new Set([".js", ".css", ".svg", ".html", ".json", ".webmanifest", ".txt"]);
/** Below this a packed file saves less than its headers cost. */
const LEAST_BYTES = 512;

/**
 * Ends the whole build: pictures that only rendered pages show join the browser's files, and every file that packs well
 * gets a packed copy beside it, made once with all the effort that takes. The build's manifest, which no browser needs, moves
 * to the renderer's folder.
 */
export function packFiles(browserBuild: string, rendererBuild: string): Plugin {
  return {
    name: "farline-pack-files",
    async closeBundle() {
      const pictures = join(rendererBuild, "assets");
      if (existsSync(pictures)) await cp(pictures, join(browserBuild, "assets"), { recursive: true });
      await cp(join(browserBuild, ".vite/manifest.json"), join(rendererBuild, "manifest.json"));
      await rm(join(browserBuild, ".vite"), { recursive: true });
      const names = await readdir(browserBuild, { recursive: true });
      for (const name of names.filter((one) => PACKED_TYPES.has(extname(one)))) await pack(join(browserBuild, name));
    },
  };
}

async function pack(path: string): Promise<void> {
  const plain = await readFile(path);
  if (plain.length < LEAST_BYTES) return;
  const [brotlied, gzipped] = await Promise.all([
    promisify(brotliCompress)(plain, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
      },
    }),
    promisify(gzip)(plain, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  await Promise.all([writeFile(`${path}.br`, brotlied), writeFile(`${path}.gz`, gzipped)]);
}
