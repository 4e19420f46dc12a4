import { Option, type Command } from "commander";
import { EXIT, onMachine, run, show } from "../command.ts";
import { PROGRAMS, type Program } from "./examine-settings.ts";

const WIDTH = "warning".length;

export function addDoctorCommand(program: Command): void {
  onMachine(program.command("doctor"))
    .description("test the settings and everything they refer to, from this machine; changes nothing")
    .addOption(new Option("--program <name>", "one program that runs without npm start, with this environment").choices(PROGRAMS))
    .action(
      run(async ({ program: only = null }: { program?: Program | null }) => {
        // Loaded on demand, because it loads the exchange, which other commands do not need.
        const { diagnose } = await import("./diagnose.ts");
        const findings = await diagnose(process.env, only);
        show(
          { findings },
          findings.map(({ level, text }) => `${level.padEnd(WIDTH)}  ${text}`),
        );
        if (findings.some(({ level }) => level === "fault")) process.exitCode = EXIT.faults;
      }),
    );
}
