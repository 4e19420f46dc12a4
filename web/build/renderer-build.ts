import { existsSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { Manifest, Plugin } from "vite";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const ID = "virtual:page-assets";
const RESOLVED = `\0${ID}`;
const FONT = /geologica-latin-shrp-normal.*\.woff2$/;

/** A page's files when it is served from source. */
const SOURCES = { start: ["/src/public/start.ts"], styles: [], font: null, islands: ["/src/public/hydrate-islands.tsx"] };

/** Passes the names of the browser's files to the page renderer: from the browser build, or the sources in development. */
export function pageAssets(browserBuild: string): Plugin {
  let development = false;
  return {
    configResolved: ({ command }) => void (development = command === "serve"),
    name: "farline-page-assets",
    resolveId: (id) => (id === ID ? RESOLVED : null),
    load(id) {
      if (id !== RESOLVED) return null;
      if (development) return `export const files = ${JSON.stringify(SOURCES)};`;
      const manifest = JSON.parse(readFileSync(join(browserBuild, ".vite/manifest.json"), "utf8")) as Manifest;
      const font = Object.values(manifest).find(({ file }) => FONT.test(file));
      const files = {
        start: withImports(manifest, "src/public/start.ts"),
        font: font === undefined ? null : `/${font.file}`,
        // Without this entry's stylesheets: the page already has them.
        islands: withImports(manifest, "src/public/hydrate-islands.tsx"),
      };
      return `export const files = ${JSON.stringify(files)};`;
    },
  };
}

/** A file preceded by its transitive imports, in execution order. */
function withImports(manifest: Manifest, source: string): readonly string[] {
  const seen = new Set<string>();
  const files: string[] = [];
  const take = (key: string): void => {
    const chunk = manifest[key];
    if (chunk === undefined) throw new Error(`The browser's build has no ${key}.`);
    if (seen.has(key)) return;
    seen.add(key);
    for (const next of chunk.imports ?? []) take(next);
    files.push(`/${chunk.file}`);
  };
  take(source);
  return files;
}

const PACKED_TYPES = new Set([".js", ".css", ".svg", ".html", ".json", ".webmanifest", ".txt"]);
/** The pages that the service completes, and then compresses itself. */
const COMPLETED = /^(?:index\.html|shell\b.*)$/;
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
      const packed = names.filter((one) => PACKED_TYPES.has(extname(one)) && !COMPLETED.test(one));
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
