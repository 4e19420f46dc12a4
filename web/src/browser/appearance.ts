import { readSetting, setPageCookie, writeSetting } from "./storage.ts";

/** A choice of how pages look, remembered for the app and for server-rendered pages. The first value is the usual one. */
export interface Appearance<Value extends string = string> {
  readonly name: "theme" | "text-size";
  readonly values: readonly [Value, ...Value[]];
}

/** `system`: the device's setting. */
export const theme = { name: "theme", values: ["system", "light", "dark"] } as const satisfies Appearance;
export const textSize = { name: "text-size", values: ["usual", "large", "largest"] } as const satisfies Appearance;

export function remembered<Value extends string>({ name, values }: Appearance<Value>): Value {
  const stored = readSetting(name);
  return values.find((value) => value === stored) ?? values[0];
}

/** Marks the root element for the style sheets with what this browser remembers. */
export function applyAppearance(): void {
  for (const one of [theme, textSize]) mark(one, remembered<string>(one));
}

/** Remembers the chosen value and applies it. */
export function chooseAppearance({ name, values }: Appearance, value: string): void {
  if (!values.includes(value)) return;
  const chosen = value === values[0] ? null : value;
  writeSetting(name, chosen);
  setPageCookie(name, chosen);
  mark({ name, values }, value);
}

/** The usual value has no mark. */
function mark({ name, values }: Appearance, value: string): void {
  const root = document.documentElement;
  if (value === values[0]) root.removeAttribute(`data-${name}`);
  else root.setAttribute(`data-${name}`, value);
}

/** Network Information API, which only Chromium has. */
interface NetworkInformation {
  readonly effectiveType: string;
}

/**
 * Over a slow network, the app keeps the browser's own typeface: ours would share the network with its scripts, and move lines when it
 * came. For the script that runs before the first paint.
 */
export function chooseTypeface(): void {
  const { connection } = navigator as Navigator & { readonly connection?: NetworkInformation };
  if (connection !== undefined && connection.effectiveType !== "4g") document.documentElement.dataset["font"] = "stand-in";
}
