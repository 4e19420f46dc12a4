import { readFileSync, writeFileSync } from "node:fs";
import type { Setting } from "@farline/contract/settings/setting.ts";
import { settingGroups } from "@farline/contract/settings/settings.ts";

/** Generates `.env.example` and `docs/settings.md` from the declared settings; `--check` reports which is stale instead. */
const WIDTH = 120;
const groups: readonly (readonly [string, Record<string, Setting>])[] = Object.entries(settingGroups);
const files = { ".env.example": exampleFile(), "docs/settings.md": referencePage() };

const check = process.argv.includes("--check");
for (const [path, text] of Object.entries(files)) {
  if (!check) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) {
    console.log(`${path} is stale: run npm run write:settings.`);
    process.exitCode = 1;
  }
}

function exampleFile(): string {
  const lines = ["# Copy this file to .env and set what you need. Everything has a default. See docs/settings.md.", ""];
  for (const [heading, group] of groups) {
    const own = Object.entries(group).filter(([, { readers }]) => readers.length > 0);
    if (own.length === 0) continue;
    lines.push(`# ${heading}`, "");
    for (const [name, setting] of own) {
      const notes = [
        setting.description,
        setting.production && `Production: ${setting.production}`,
        `Default: ${defaultOf(setting)}.`,
      ];
      lines.push(...notes.filter((note) => note !== undefined).flatMap((note) => wrap(note.replaceAll("`", ""), "# ")));
      lines.push(`#${name}=`, "");
    }
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

function referencePage(): string {
  const lines = [
    "# Settings",
    "",
    "Generated from `contract/src/settings/settings.ts` by `npm run write:settings`; do not edit.",
    "",
    "Settings are environment variables. `npm start` and `npm run cli` also read them from a file `.env` next to `package.json`",
    "([.env.example](../.env.example)); environment variables take precedence. Each program gets only the settings it reads.",
    "`NAME_FILE` names a file with the value of `NAME`, for secrets that an environment must not hold.",
    "Secrets are marked with 🔒.",
    "",
  ];
  for (const [heading, group] of groups) {
    lines.push(`## ${heading}`, "");
    lines.push("| variable | meaning | type | default | read by | production |", "|---|---|---|---|---|---|");
    for (const [name, setting] of Object.entries(group)) {
      const { type, unit, secret, description, readers, assigned = [], production = "" } = setting;
      const readBy = [...readers, ...assigned].map((one) =>
        one === "start" ? "`npm start`" : one === "cli" ? "`npm run cli`" : one,
      );
      const cells = [
        `\`${name}\`${secret ? " 🔒" : ""}`,
        description,
        unit === undefined ? type : `${type}; ${unit}`,
        readers.length === 0 ? "assigned" : defaultOf(setting),
        [...new Set(readBy)].join(", "),
        production,
      ];
      lines.push(`| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`);
    }
    lines.push("");
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

function defaultOf({ default: value }: Setting): string {
  return value ?? "none";
}

/** Wraps a sentence into comment lines. */
function wrap(text: string, prefix: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > WIDTH) lines.push(`${prefix}${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
