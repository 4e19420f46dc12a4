import type { Command } from "commander";
import { CommandError } from "../operate/installation.ts";
import { run, show } from "../operate/commands.ts";
import { writeKeys, type KeyFile } from "./write-keys.ts";

/** `keys <folder>`: the keys of an installation whose programs are started apart (docs/operate/deploy.md). */
export function addKeysCommand(program: Command): void {
  program
    .command("keys")
    .argument("<folder>", "where the files go; only their owner may read them")
    .description("make the keys of a new installation, a file for each setting; keeps files that exist")
    .action(
      run(async (folder: string) => {
        const keys = write(folder);
        show(
          { keys },
          keys.map(({ file, made }) => `${made ? "made" : "kept"}  ${file}`),
        );
      }),
    );
}

function write(folder: string): KeyFile[] {
  try {
    return writeKeys(folder);
  } catch (error) {
    throw new CommandError(`The keys cannot be written: ${(error as Error).message}.`);
  }
}
