import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A folder on a small disk of its own, which can be filled. */
export class SmallDisk {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Null if this user may not mount one; the folder is there nevertheless. */
  static mount(path: string, size: string): SmallDisk | null {
    mkdirSync(path);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path], { stdio: "ignore" });
      return new SmallDisk(path);
    } catch {
      return null; // needs root
    }
  }

  /** Leaves no byte to write. */
  fill(): void {
    try {
      execFileSync("dd", ["if=/dev/zero", `of=${this.#filling}`, "bs=64k"], { stdio: "ignore" });
    } catch {
      // The disk is full.
    }
  }

  clear(): void {
    rmSync(this.#filling, { force: true });
  }

  unmount(): void {
    execFileSync("umount", ["--lazy", this.path]);
  }

  get #filling(): string {
    return join(this.path, "filling");
  }
}
