/** Fills `{{name}}` placeholders in catalogue texts, for scripts that run before i18next loads. */
export function fillText(text: string | undefined, values: Readonly<Record<string, string | number>>): string {
  return (text ?? "").replace(/{{(\w+)}}/g, (_, name: string) => String(values[name]));
}
