import { join } from "node:path";

/** Settings whose values stand in files of a folder, as `cli keys` makes them. They take the place of values in the settings. */
export function keyFiles(folder: string, ...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => [
      [`${name}_FILE`, join(folder, name)],
      [name, ""],
    ]),
  );
}

/** The trunk file of an exchange whose carrier is the sandbox. @param port of its phone network, on this machine */
export function sandboxTrunks(port: number): string {
  return JSON.stringify([{ name: "sandbox", host: "127.0.0.1", port, username: "sandbox", password: "sandbox" }]);
}
