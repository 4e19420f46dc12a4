/** Puts values into a text of the catalogues, for the scripts that run before the catalogues' own library: `{{name}}`. */
export function fillText(text: string | undefined, values: Readonly<Record<string, string | number>>): string {
  return (text ?? "").replace(/{{(\w+)}}/g, (_, name: string) => String(values[name]));
}
