import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Plugin, Rollup } from "vite";

const FILE = "third-party-notices.txt";
const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;
const LICENSE = /^(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i;

interface PackageFile {
  readonly version: string;
  readonly license?: string;
  readonly homepage?: string;
}

/**
 * Writes the licence texts of every package in the build: scripts, workers, fonts and images.
 * @returns the build's plugin, and the one that worker builds need so that their packages are included
 */
export function thirdPartyNotices(): { readonly build: Plugin; readonly worker: () => Plugin } {
  const folders = new Map<string, string>();
  const note = (path: string) => {
    const [, folder, name] = PACKAGE.exec(path.replace(/^\0/, "").replaceAll("\\", "/")) ?? [];
    if (folder !== undefined && name !== undefined) folders.set(name, folder);
  };
  const collect = (bundle: Rollup.OutputBundle) => {
    for (const output of Object.values(bundle)) {
      const sources = output.type === "chunk" ? Object.keys(output.modules) : output.originalFileNames;
      for (const source of sources) note(resolve(import.meta.dirname, "..", source));
    }
  };
  return {
    worker: () => ({ name: "farline-worker-notices", generateBundle: (_options, bundle) => collect(bundle) }),
    build: {
      name: "farline-third-party-notices",
      generateBundle: {
        order: "post",
        handler(_options, bundle) {
          collect(bundle);
          const notices = [...folders].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, folder]) => noticeOf(name, folder));
          const head = "Farline's pages contain the following packages.\n";
          this.emitFile({ type: "asset", fileName: FILE, source: [head, ...notices].join(`\n${"-".repeat(80)}\n\n`) });
        },
      },
    },
  };
}

/** @throws Error for a package without a licence, which must not be shipped */
function noticeOf(name: string, folder: string): string {
  const { version, license, homepage } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageFile;
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => LICENSE.test(file)) : [];
  if (files.length === 0 && license === undefined) throw new Error(`${name} in ${folder} has no licence.`);
  if (files.length === 0)
    return `${name} ${version} (${license})\n\nThe package declares this licence and has no text of it. ${homepage ?? ""}\n`;
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  return `${name} ${version} (${license ?? "see below"})\n\n${texts.join("\n\n")}\n`;
}
