import { z } from "zod";
import type { Env, Program, Setting } from "./setting.ts";
import { readEnvironment } from "./setting-files.ts";
import { settings, type SettingName, type Settings } from "./settings.ts";

type AssignedTo<One> = One extends { readonly assigned: readonly (infer Who)[] } ? Who : never;

/** The settings that a program reads. */
export type NameReadBy<Who extends Program> = {
  [Name in SettingName]: Who extends Settings[Name]["readers"][number] | AssignedTo<Settings[Name]> ? Name : never;
}[SettingName];

/** A program's settings as parsed values. */
export type ReadBy<Who extends Program> = z.output<z.ZodObject<{ [Name in NameReadBy<Who>]: Settings[Name]["schema"] }>>;

/** The settings that a program reads as the operator set them. */
export function passedTo(program: Program): readonly SettingName[] {
  return namesWhere(({ readers }) => readers.includes(program));
}

/** The settings that a program reads, including those that `npm start` assigns. */
export function namesReadBy(program: Program): readonly SettingName[] {
  return namesWhere(({ readers, assigned }) => [...readers, ...(assigned ?? [])].includes(program));
}

/**
 * Reads a program's settings from environment variables, and from the files that they name (`NAME_FILE`).
 * @returns their values, or a message for each invalid one, by name
 */
export function parseSettings<Who extends Program>(
  program: Who,
  env: Env,
): { readonly values: ReadBy<Who> } | { readonly problems: string } {
  const environment = z.object(Object.fromEntries(namesReadBy(program).map((name) => [name, settings[name].schema])));
  const files = readEnvironment(env);
  if (files.problems.length > 0) return { problems: files.problems.join("; ") };
  const present = Object.fromEntries(Object.entries(files.env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = environment.safeParse(present);
  if (parsed.success) return { values: parsed.data as ReadBy<Who> };
  return { problems: parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ") };
}

function namesWhere(test: (setting: Setting) => boolean): SettingName[] {
  return (Object.keys(settings) as SettingName[]).filter((name) => test(settings[name]));
}
