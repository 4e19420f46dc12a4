/** The directions of ARCHITECTURE.md as rules. A new folder or a new arrow is a decision: change this file with it. */
const workspaces = ["server", "voice", "sandbox", "web", "cli", "e2e", "bench", "security"];
const strangers = ["server", "voice", "sandbox", "web"];

/** The rooms of a subject in order: a room may use earlier ones, so that there are no cycles between them. */
const rooms = {
  decks: ["plan", "file"],
  calls: [
    "provider-account",
    "record",
    "events",
    "echo",
    "credentials",
    "guard-rails",
    "history",
    "details",
    "provider",
    "caller-id",
    "authorise",
    "live",
    "settle",
    "webhook",
  ],
  billing: [
    "record",
    "cards",
    "limits",
    "refunds",
    "disputes",
    "documents",
    "payments",
    "checkout",
    "auto-top-up",
    "stripe",
    "reconciliation",
    "test-credit",
    "withdrawals",
  ],
};

module.exports = {
  forbidden: [
    { name: "no-circles", severity: "error", from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } } },
    {
      name: "domain-is-pure",
      comment: "No I/O, no clock, no package but libphonenumber.",
      severity: "error",
      from: { path: "^domain/src", pathNot: "\\.test\\.ts$" },
      to: { pathNot: ["^domain/src", "libphonenumber-js"] },
    },
    {
      name: "texts-know-domain-and-i18next",
      severity: "error",
      from: { path: "^texts/" },
      to: { pathNot: ["^texts/", "^domain/src", "node_modules/i18next", "^node:"], dependencyTypesNot: ["core"] },
    },
    {
      name: "sip-stands-alone",
      comment: "State machines without I/O or clock; only the transports open sockets, only digest computes hashes.",
      severity: "error",
      from: { path: "^sip/src", pathNot: ["\\.test\\.ts$", "^sip/src/(transport|digest)/"] },
      to: { pathNot: ["^sip/src"], path: ".*" },
    },
    {
      name: "sip-transport-opens-sockets",
      severity: "error",
      from: { path: "^sip/src/transport/", pathNot: "\\.test\\.ts$" },
      to: { pathNot: ["^sip/src", "^(node:)?(net|tls|dgram|dns)(/promises)?$"], path: ".*" },
    },
    {
      name: "sip-digest-computes-hashes",
      severity: "error",
      from: { path: "^sip/src/digest/", pathNot: "\\.test\\.ts$" },
      to: { pathNot: ["^sip/src", "^(node:)?crypto$"], path: ".*" },
    },
    {
      name: "contract-knows-domain-texts-and-zod",
      severity: "error",
      from: { path: "^contract/src" },
      to: { pathNot: ["^contract/src", "^domain/src", "^texts/", "node_modules/zod"] },
    },
    ...strangers.map((one) => ({
      name: `${one}-is-a-stranger-to-the-others`,
      comment: "They reach each other over the network like any provider.",
      severity: "error",
      from: { path: `^${one}/` },
      to: { path: `^(${workspaces.filter((other) => other !== one).join("|")})/` },
    })),
    {
      name: "nothing-knows-the-attackers",
      comment: "security/ may know every workspace, as e2e and bench do; the product knows none of them.",
      severity: "error",
      from: { pathNot: "^security/" },
      to: { path: "^security/" },
    },
    {
      name: "subjects-meet-at-their-entrances",
      comment: "Inside the service a subject uses another subject's entrance file (or its table types), never its store.",
      severity: "error",
      from: { path: "^server/src/([^/]+)/", pathNot: ["\\.test\\.ts$", "^server/src/platform/database/tables\\.ts$"] },
      to: {
        path: "^server/src/([^/]+)/",
        pathNot: ["^server/src/$1/", "^server/src/platform/", "^server/src/([^/]+)/\\1\\.ts$"],
      },
    },
    ...Object.entries(rooms).flatMap(([subject, order]) =>
      order.slice(0, -1).map((room, index) => ({
        name: `${subject}-${room}-knows-no-later-room`,
        severity: "error",
        from: { path: `^server/src/${subject}/${room}/`, pathNot: "\\.test\\.ts$" },
        to: { path: `^server/src/${subject}/(${order.slice(index + 1).join("|")})/` },
      })),
    ),
    {
      name: "platform-knows-no-subject",
      severity: "error",
      from: { path: "^server/src/platform/", pathNot: "^server/src/platform/database/tables\\.ts$" },
      to: { path: "^server/src/", pathNot: "^server/src/platform/" },
    },
    {
      name: "only-stores-hold-sql",
      comment: "A store is *.store.ts; platform opens the database.",
      severity: "error",
      from: { path: "^server/src/", pathNot: ["\\.store\\.ts$", "\\.tables\\.ts$", "\\.test\\.ts$", "^server/src/platform/"] },
      to: { path: "node_modules/(kysely|pg)/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "verto-and-sip-meet-in-calls",
      severity: "error",
      from: { path: "^voice/src/(verto|sip|media|control)/", pathNot: "\\.test\\.ts$" },
      to: { path: "^voice/src/(verto|sip)/", pathNot: "^voice/src/$1/" },
    },
    {
      name: "features-are-strangers",
      severity: "error",
      from: { path: "^web/src/features/([^/]+)/" },
      to: { path: "^web/src/features/([^/]+)/", pathNot: "^web/src/features/$1/" },
    },
    {
      name: "phone-is-free-of-react",
      severity: "error",
      from: { path: "^web/src/phone/" },
      to: { path: ["node_modules/react", "^web/src/(app|features|ui)/"] },
    },
    {
      name: "web-loads-no-schemas",
      comment: "A browser needs the contract's types and constants; schemas would bring Zod along.",
      severity: "error",
      from: { path: "^web/src/", pathNot: "\\.test\\.tsx?$" },
      to: {
        path: ["^contract/src/", "node_modules/zod/"],
        pathNot: "^contract/src/constants\\.ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "shared-web-code-knows-no-feature",
      severity: "error",
      from: { path: "^web/src/(ui|text|service|session|browser)/" },
      to: { path: "^web/src/(features|app|phone)/" },
    },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true, pathNot: ["[?&]url$", "^virtual:"] } },
    {
      name: "tests-stay-out-of-the-product",
      severity: "error",
      from: { pathNot: ["\\.test\\.tsx?$", "/test/", "^e2e/", "^bench/", "^security/"] },
      to: { path: ["\\.test\\.tsx?$", "/test/"] },
    },
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: ["/dist/", "^web/dist"] },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".json"],
    },
  },
};
