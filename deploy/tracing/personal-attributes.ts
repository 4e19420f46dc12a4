/** Attributes that can hold a person's number, mail address or token, or say where they are. */
const PERSONAL =
  /^(?:url\.(?:path|query|full)|http\.(?:target|url|client_ip|user_agent)|(?:client|network\.peer|net\.peer)\.\w+|user_agent\.\w+)$/;

/** Takes personal attributes off a span. */
export function removePersonal({ attributes }: { readonly attributes: Record<string, unknown> }): void {
  for (const name of Object.keys(attributes)) if (PERSONAL.test(name)) delete attributes[name];
}
