import { z } from "zod";
import type { Setting } from "./setting.ts";
import { count, links, mailAddress, optional, or, phoneNumber, secretText, text, turnUrls, url } from "./value-kinds.ts";

export const payments = {
  STRIPE_SECRET_KEY: {
    ...text,
    default: "the sandbox's",
    description: "Stripe's API key.",
    readers: ["service", "start", "cli"],
    assigned: ["sandbox"],
    secret: true,
    production: "Must be a live key.",
  },
  STRIPE_WEBHOOK_SECRET: {
    ...text,
    type: "text, several with commas between them",
    default: "the sandbox's",
    description: "Secret that signs Stripe's webhooks.",
    readers: ["service"],
    assigned: ["sandbox"],
    secret: true,
  },
  STRIPE_API_BASE: {
    ...optional(url),
    default: "Stripe",
    description: "Address of the sandbox for Stripe's API.",
    readers: ["service", "cli"],
    production: "Must be absent.",
  },
} as const satisfies Record<string, Setting>;

export const voice = {
  TURN_URLS: {
    ...optional(turnUrls),
    default: "none",
    description: "Relays for callers whose network lets no UDP out, beside the built-in exchange.",
    readers: ["service"],
  },
  TURN_SECRET: {
    ...optional(secretText),
    default: "none",
    description: "coturn's `static-auth-secret`: makes the relays' passwords.",
    readers: ["service"],
    secret: true,
  },
  CALL_MARGIN_MINUTES: {
    ...or(count(0, 120), "10"),
    unit: "minutes",
    description:
      "By how much a top-up may extend a running call at a provider that cannot raise its limit (Telnyx). As much is lost at most while " +
      "the service is down. None for expensive numbers and new customers.",
    readers: ["service"],
  },
  TELNYX_API_KEY: {
    ...text,
    type: "text, several with commas between them",
    default: "the built-in exchange's",
    description: "Telnyx's API key; with it calls go through Telnyx. The first is used, and an exchange of your own accepts all.",
    readers: ["service", "start", "cli"],
    assigned: ["exchange"],
    secret: true,
  },
  TELNYX_API_BASE: {
    ...optional(url),
    default: "Telnyx",
    description: "Address of another voice API, such as an exchange of your own.",
    readers: ["service", "start", "cli"],
  },
  TELNYX_PUBLIC_KEY: {
    ...text,
    type: "Ed25519 key in base64, several with commas between them",
    default: "the built-in exchange's",
    description: "Keys that verify the voice provider's webhooks.",
    readers: ["service", "cli"],
  },
  TELNYX_CONNECTION_ID: {
    ...text,
    schema: z.string().min(1).max(64),
    default: "the built-in exchange's",
    description: "The credential connection that browsers call through.",
    readers: ["service", "cli"],
    assigned: ["exchange"],
  },
  VOICE_WS_URL: {
    ...optional({ type: "`ws://` or `wss://` URL", schema: z.url({ protocol: /^wss?$/ }) }),
    default: "Telnyx's, or the built-in exchange on `PUBLIC_URL`'s host",
    description: "WebSocket that browsers call through.",
    readers: ["service", "start"],
    production: "Must be `wss://`.",
  },
  CALLER_NUMBER: {
    ...optional(phoneNumber),
    default: "a number reserved for fiction",
    description: "Caller ID shown to the person called.",
    readers: ["service", "exchange", "cli"],
    production: "Required, and not a number reserved for fiction.",
  },
} as const satisfies Record<string, Setting>;

export const people = {
  GOOGLE_CLIENT_ID: {
    ...optional(text),
    default: "the sandbox's while payments are its own, else no sign-in with Google",
    description: "OAuth client of sign-in with Google.",
    readers: ["service", "start"],
    assigned: ["sandbox"],
  },
  GOOGLE_CLIENT_SECRET: {
    ...optional(text),
    default: "as for `GOOGLE_CLIENT_ID`",
    description: "Its secret; set both or neither.",
    readers: ["service"],
    assigned: ["sandbox"],
    secret: true,
  },
  OIDC_ISSUER: {
    ...or(url, "https://accounts.google.com"),
    description: "Issuer of the sandbox for Google.",
    readers: ["service"],
    production: "Must be absent.",
  },
  SMTP_URL: {
    ...optional({ type: "`smtp://` or `smtps://` URL", schema: z.url({ protocol: /^smtps?$/ }) }),
    default: "the sandbox's mailbox",
    description: "Mail server, with user and password if required.",
    readers: ["service", "start"],
    secret: true,
    production: "Required.",
  },
  MAIL_FROM: {
    ...optional(mailAddress),
    default: "`Farline <no-reply@farline.localhost>`",
    description: "Sender of the mails.",
    readers: ["service"],
    production: "Required.",
  },
  SUPPORT_EMAIL: {
    ...optional({ type: "email address", schema: z.email() }),
    default: "`support@` and the host of `PUBLIC_URL`",
    description: "Where customers write to, also by answering a mail; the contact in `security.txt`.",
    readers: ["service"],
  },
  SOCIAL_LINKS: {
    ...links,
    default: "none",
    description: "The operator's pages at social networks, for the footer.",
    readers: ["service"],
  },
} as const satisfies Record<string, Setting>;
