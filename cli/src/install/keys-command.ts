import { type Command, Option } from "commander";
import { CommandError } from "../operate/installation.ts";
import { run, show } from "../operate/commands.ts";
import { turnKeys, TURNS, type Turn } from "./turn-keys.ts";
import { writeKeys } from "./write-keys.ts";

/** `keys <folder>`: the keys of an installation whose programs are started apart (docs/operate/deploy.md). */
export function addKeysCommand(program: Command): void {
  program
    .command("keys")
    .argument("<folder>", "where the files go; only their owner may read them")
    .description("make the keys of a new installation, a file for each setting; keeps files that exist")
    .addOption(
      new Option("--turn <step>", "replace the keys there by new ones in three steps, with restarts after each").choices(TURNS),
    )
    .action(
      run(async (folder: string, { turn }: { turn?: Turn }) => {
        if (turn !== undefined) {
          const files = attempt(() => turnKeys(folder, turn));
          show({ files }, files);
          return;
        }
        const keys = attempt(() => writeKeys(folder));
        show(
          { keys },
          keys.map(({ file, made }) => `${made ? "made" : "kept"}  ${file}`),
        );
      }),
    );
}

function attempt<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new CommandError(`The keys cannot be written: ${(error as Error).message}.`);
  }
}
