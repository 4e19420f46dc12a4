import { readFileSync } from "node:fs";
import { defineConfig, mergeConfig, type Plugin } from "vitest/config";
import usual from "../vitest.config.ts";

/** Gives one file of the product in its faulty form, in memory: the working tree stays as it is. */
function plantedFault(): Plugin {
  const { file, source } = JSON.parse(readFileSync(process.env["PLANTED_FAULT"] ?? "", "utf8")) as Record<string, string>;
  return { name: "planted-fault", enforce: "pre", load: (id) => (id.split("?", 1)[0] === file ? source : null) };
}

const projects = (usual.test?.projects ?? []).map((project) => mergeConfig(project as object, { plugins: [plantedFault()] }));
export default defineConfig({ test: { ...usual.test, projects, bail: 1, maxWorkers: 1, fsModuleCache: false } });
