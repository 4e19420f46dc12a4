import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

const packageFile = createRequire(import.meta.url).resolve("country-flag-icons/package.json");
const source = join(dirname(packageFile), "3x2");
const version = (JSON.parse(readFileSync(packageFile, "utf8")) as { version: string }).version;
const flagFile = /^[A-Z]{2}\.svg$/;

/** Path of the flags in the build. The package version replaces a content hash: files never change under one version. */
export const flagsFolder = `/assets/flags-${version}`;

/** Serves one SVG file per country, so that a page loads only the flags it shows and no script lists them. */
export function flags(): Plugin {
  return {
    name: "farline-flags",
    generateBundle() {
      for (const file of readdirSync(source).filter((name) => flagFile.test(name)))
        this.emitFile({
          type: "asset",
          fileName: `${flagsFolder.slice(1)}/${file}`,
          originalFileName: join(source, file),
          source: readFileSync(join(source, file)),
        });
    },
    configureServer(server) {
      server.middlewares.use(flagsFolder, (request, response, next) => {
        const file = (request.url ?? "").slice(1);
        if (!flagFile.test(file)) return next();
        response.setHeader("Content-Type", "image/svg+xml");
        response.end(readFileSync(join(source, file)));
      });
    },
  };
}

const IMPORT = /import \{([^}]*)\} from "@tabler\/icons-react";/g;
const ICON = /^Icon\w+$/;

/**
 * Imports each icon from its own file. Through the package's one entry, which imports all icons, the build would think that every
 * page needs every icon.
 */
export function iconFiles(): Plugin {
  return {
    name: "farline-icon-files",
    apply: "build",
    enforce: "pre",
    transform: {
      filter: { id: /\/web\/src\/.*\.tsx?$/, code: "@tabler/icons-react" },
      handler: (code) => code.replace(IMPORT, (_, names: string) => names.split(",").map(importOf).join(" ")),
    },
  };
}

function importOf(listed: string): string {
  const name = listed.trim();
  if (name === "") return "";
  return ICON.test(name)
    ? `import ${name} from "@tabler/icons-react/dist/esm/icons/${name}.mjs";`
    : `import { ${name} } from "@tabler/icons-react";`;
}
