const CONTROL_ID = /^v3:([a-z0-9-]{1,20})\.[\w-]{32}$/;

/** The exchange that owns a leg, from the leg's control id; null for any other text, such as an id of another provider. */
export function exchangeOfControlId(id: string): string | null {
  return CONTROL_ID.exec(id)?.[1] ?? null;
}
