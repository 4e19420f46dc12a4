import { spawnSync } from "node:child_process";
import { dirname } from "node:path";

/** A folder with more files needs subfolders. */
const MAX_FILES = 25;
/** Folders that hold one file per item and may grow. */
const LISTS = /^(domain\/src\/data|server\/migrations|docs\/decisions|texts|bench\/results)(\/|$)|\/sql$/;

const { stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" });
const folders = Map.groupBy(stdout.trim().split("\n"), (file) => dirname(file));
for (const [folder, inside] of folders) {
  if (inside.length <= MAX_FILES || folder === "." || LISTS.test(folder)) continue;
  console.log(`${folder} has ${inside.length} files, more than ${MAX_FILES}: split it into subfolders.`);
  process.exitCode = 1;
}
