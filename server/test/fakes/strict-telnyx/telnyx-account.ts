/** The resources of a Telnyx account in the REST API's form. */
export class TelnyxAccount {
  balance = "25.00";
  readonly profiles = new Map<string, Record<string, unknown>>();
  readonly connections = new Map<string, Record<string, unknown>>();
  readonly numbers = new Map<string, Record<string, unknown>>();
  readonly credentials = new Set<string>();
  #made = 1_000;

  /** Ids are decimal, like Telnyx's. */
  newId(): string {
    return String(++this.#made);
  }

  addNumber(phoneNumber: string, connectionId: string | null = null): void {
    const id = this.newId();
    this.numbers.set(id, {
      id,
      record_type: "phone_number",
      phone_number: phoneNumber,
      connection_id: connectionId,
      status: "active",
    });
  }

  /** Telnyx's defaults: calls to the United States and Canada, and no limit. */
  createProfile(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const id = this.newId();
    const defaults = {
      enabled: true,
      traffic_type: "conversational",
      service_plan: "global",
      usage_payment_method: "rate-deck",
      whitelisted_destinations: ["US", "CA"],
      daily_spend_limit_enabled: false,
    };
    const made = { id, record_type: "outbound_voice_profile", ...defaults, ...body };
    this.profiles.set(id, made);
    return made;
  }

  /** Telnyx's defaults: nothing is parked. */
  createConnection(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const id = this.newId();
    const defaults = {
      active: true,
      webhook_api_version: "1",
      call_cost_in_webhooks: false,
      sip_uri_calling_preference: "disabled",
      webhook_event_url: "",
    };
    const outbound = { call_parking_enabled: false, ani_override: "", ani_override_type: "normal", localization: "US" };
    const made = { id, record_type: "credential_connection", ...defaults, ...body };
    this.connections.set(id, { ...made, outbound: { ...outbound, ...(body["outbound"] as object | undefined) } });
    return this.connections.get(id) ?? made;
  }
}
