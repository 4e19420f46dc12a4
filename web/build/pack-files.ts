import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const PACKED_TYPES = new Set([".js", ".css", ".svg", ".html", ".json", ".webmanifest", ".txt"]);
/** Below this size, compression saves less than its header costs. */
const MIN_BYTES = 512;

/**
 * Finishes the build: copies images that only server-rendered pages use to the browser's files, compresses every file that
 * compresses well, once at maximum effort, and moves the manifest, which browsers do not need, to the renderer's folder.
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
      const packed = names.filter((one) => PACKED_TYPES.has(extname(one)));
      await Promise.all(packed.map((name) => pack(join(browserBuild, name))));
    },
  };
}

async function pack(path: string): Promise<void> {
  const plain = await readFile(path);
  if (plain.length < MIN_BYTES) return;
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
