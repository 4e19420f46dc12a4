/** Whether Telnyx accepts a value in a field. */
type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Check>>;

interface Rule {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** `:id` stands for any id. */
  readonly path: string;
  readonly query?: Fields;
  readonly body?: Fields;
  readonly required?: readonly string[];
}

const text: Check = (value) => typeof value === "string" && value !== "";
const flag: Check = (value) => typeof value === "boolean";
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(String(value));
const whole =
  (min: number, max: number): Check =>
  (value) =>
    Number.isInteger(Number(value)) && Number(value) >= min && Number(value) <= max;
const base64: Check = (value) => typeof value === "string" && Buffer.from(value, "base64").toString("base64") === value;
const e164: Check = (value) => /^\+[1-9]\d{6,14}$/.test(String(value));
const time: Check = (value) => !Number.isNaN(Date.parse(String(value)));
const money: Check = (value) => /^\d+\.\d{2}$/.test(String(value));
const countries: Check = (value) => Array.isArray(value) && value.every((one) => /^[A-Z]{2}$/.test(String(one)));
const fields =
  (known: Fields): Check =>
  (value) =>
    typeof value === "object" && value !== null && problemOf(value, known, "") === null;

const pages: Fields = { "page[number]": whole(1, 10_000), "page[size]": whole(1, 250) };
const command: Fields = { client_state: base64, command_id: text };

/** `OutboundVoiceProfileCreateParams` in the client's resources/outbound-voice-profiles.d.ts; an update also requires the name. */
const profile: Fields = {
  name: text,
  billing_group_id: orNull(text),
  concurrent_call_limit: orNull(whole(1, 100_000)),
  daily_spend_limit: money,
  daily_spend_limit_enabled: flag,
  enabled: flag,
  max_destination_rate: (value) => typeof value === "number" && value > 0,
  service_plan: oneOf("global"),
  tags: Array.isArray,
  traffic_type: oneOf("conversational"),
  usage_payment_method: oneOf("rate-deck"),
  whitelisted_destinations: countries,
};

/** `CredentialConnectionCreateParams` and `CredentialOutbound` in resources/credential-connections/credential-connections.d.ts. */
const connection: Fields = {
  connection_name: text,
  user_name: (value) => /^[A-Za-z0-9]{4,32}$/.test(String(value)),
  password: (value) => typeof value === "string" && value.length >= 8 && value.length <= 128,
  active: flag,
  call_cost_in_webhooks: flag,
  sip_uri_calling_preference: oneOf("disabled", "unrestricted", "internal"),
  tags: Array.isArray,
  webhook_api_version: oneOf("1", "2"),
  webhook_event_url: text,
  webhook_event_failover_url: orNull(text),
  webhook_timeout_secs: orNull(whole(0, 30)),
  outbound: fields({
    ani_override: text,
    ani_override_type: oneOf("always", "normal", "emergency"),
    call_parking_enabled: orNull(flag),
    channel_limit: whole(1, 100_000),
    generate_ringback_tone: flag,
    instant_ringback_enabled: flag,
    localization: text,
    outbound_voice_profile_id: text,
    t38_reinvite_source: text,
  }),
};

/** The requests that Telnyx accepts from the service and its commands: paths, filters and fields of the official client 7.24. */
const RULES: readonly Rule[] = [
  { method: "GET", path: "/balance" },
  { method: "GET", path: "/phone_numbers", query: { ...pages, "filter[phone_number]": text, "filter[connection_id]": text } },
  {
    method: "PATCH",
    path: "/phone_numbers/:id",
    body: { connection_id: text, customer_reference: text, tags: Array.isArray, billing_group_id: text },
  },
  { method: "GET", path: "/outbound_voice_profiles", query: { ...pages, "filter[name][contains]": text } },
  { method: "POST", path: "/outbound_voice_profiles", body: profile, required: ["name"] },
  { method: "GET", path: "/outbound_voice_profiles/:id" },
  { method: "PATCH", path: "/outbound_voice_profiles/:id", body: profile, required: ["name"] },
  { method: "GET", path: "/credential_connections", query: { ...pages, "filter[connection_name][contains]": text } },
  {
    method: "POST",
    path: "/credential_connections",
    body: connection,
    required: ["connection_name", "user_name", "password"],
  },
  { method: "GET", path: "/credential_connections/:id" },
  { method: "PATCH", path: "/credential_connections/:id", body: connection },
  {
    method: "POST",
    path: "/telephony_credentials",
    body: { connection_id: text, name: text, tag: text, expires_at: time },
    required: ["connection_id"],
  },
  { method: "POST", path: "/telephony_credentials/:id/token" },
  { method: "DELETE", path: "/telephony_credentials/:id" },
  {
    method: "GET",
    path: "/connections/:id/active_calls",
    query: { ...pages, "page[limit]": whole(1, 250), "page[after]": text, "page[before]": text },
  },
  { method: "GET", path: "/calls/:id" },
  { method: "POST", path: "/calls/:id/actions/answer", body: command },
  { method: "POST", path: "/calls/:id/actions/hangup", body: command },
  {
    method: "POST",
    path: "/calls/:id/actions/transfer",
    body: {
      ...command,
      to: e164,
      from: e164,
      from_display_name: text,
      early_media: flag,
      time_limit_secs: whole(1, 14_400),
      timeout_secs: whole(5, 600),
      target_leg_client_state: base64,
      webhook_url: text,
      park_after_unbridge: oneOf("self"),
    },
    required: ["to"],
  },
  {
    method: "GET",
    path: "/detail_records",
    query: {
      "page[number]": whole(1, 10_000),
      "page[size]": whole(1, 50),
      "filter[record_type]": oneOf("sip-trunking", "call-control", "webrtc"),
      "filter[telnyx_session_id]": text,
      "filter[id]": text,
      "filter[date_range]": oneOf("today", "yesterday", "this_week", "last_week", "this_month", "last_month"),
    },
    required: ["filter[record_type]"],
  },
];

export interface TelnyxRequest {
  readonly method: string;
  /** Without `/v2` and query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The rule that a request matches, or what Telnyx refuses about it. */
export function ruleOf(request: TelnyxRequest): { path: string; ids: string[] } | { problem: string } {
  const parts = request.path.split("/");
  const rule = RULES.find(({ method, path }) => {
    const wanted = path.split("/");
    const fits = wanted.length === parts.length && wanted.every((part, at) => part === ":id" || part === parts[at]);
    return method === request.method && fits;
  });
  if (rule === undefined) return { problem: `Telnyx has no ${request.method} ${request.path}` };
  const where = `${rule.method} ${rule.path}`;
  const problem = problemOf(request.query, rule.query ?? {}, where) ?? problemOf(request.body, rule.body ?? {}, where);
  if (problem !== null) return { problem };
  const missing = rule.required?.find((name) => !(name in request.query) && !(name in request.body));
  if (missing !== undefined) return { problem: `${where} lacks ${missing}` };
  return { path: where, ids: parts.filter((_part, at) => rule.path.split("/")[at] === ":id") };
}

function problemOf(given: object, known: Fields, where: string): string | null {
  for (const [name, value] of Object.entries(given)) {
    const check = known[name];
    if (check === undefined) return `${where} takes no ${name}`;
    if (!check(value)) return `${where} takes no ${name} like ${JSON.stringify(value)}`;
  }
  return null;
}
