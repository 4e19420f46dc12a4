import { RuleTester } from "oxlint/plugins-dev";
import { describe, it } from "vitest";
import plugin from "./plugin.ts";

RuleTester.describe = describe;
RuleTester.it = it;
const tester = new RuleTester({ languageOptions: { parserOptions: { lang: "tsx" } } });

/** Code that each rule accepts, and violations that it must find. */
const CASES: Record<keyof typeof plugin.rules, { readonly fine: readonly string[]; readonly breaches: readonly string[] }> = {
  "no-raw-url": {
    fine: ["service.url;", "request.routeOptions.url;", "const { url } = service;", "const open = ({ url }: Service) => url;"],
    breaches: [
      "if (request.url === '/api') open();",
      "request.raw.url;",
      "req.originalUrl;",
      "message?.url;",
      "const { url } = request;",
      "const { method, url: path } = request.raw;",
      "function isPage({ url }: FastifyRequest) { return url; }",
    ],
  },
  "no-float-money": {
    fine: ["Number(seconds);", "Number(credit / price);", "BigInt(amountMicros);", "Number(page);"],
    breaches: [
      "Number(amountMicros);",
      "parseFloat(body.amount);",
      "+priceMicros;",
      "Number.parseInt(dollars);",
      "Number(fee.cents);",
    ],
  },
  "one-clock": {
    fine: [
      "performance.now();",
      "new Date(call.created_at);",
      "Date.parse(text);",
      "after(LIMIT_MS, run);",
      "socket.setTimeout(LIMIT_MS);",
    ],
    breaches: [
      "const now = Date.now();",
      "useState(Date.now);",
      "new Date();",
      "new Date;",
      "Date();",
      "const timer = setTimeout(run, LIMIT_MS);",
      "const timer = window.setInterval(run, LIMIT_MS);",
    ],
  },
  "bounded-timers": {
    fine: [
      "const timer = setTimeout(run, LIMIT_MS);",
      "this.timer = setInterval(run, everyMs);",
      "setTimeout(stop, LIMIT_MS).unref();",
      "new Promise((resolve) => setTimeout(resolve, LIMIT_MS));",
      "new Promise((resolve) => { setTimeout(resolve, LIMIT_MS); });",
    ],
    breaches: ["setTimeout(run, LIMIT_MS);", "setInterval(run, everyMs);", "const timer = setTimeout(run, 5_000);"],
  },
  "audited-credentials": {
    fine: [
      "async function f(tx) { await storePassword(tx, hash); await insertSecurityEvent(tx, event); }",
      "async function f(tx) { await storePassword(tx, hash); await recordWithNotice(tx, customer, change); }",
      "await findPasskeys(tx);",
      "export async function f(tx) { await storePassword(tx, hash); await tell(tx); } async function tell(tx) { await insertSecurityEvent(tx, event); }",
    ],
    breaches: [
      "async function f(tx) { await storePassword(tx, hash); }",
      "async function f(tx) { await storePassword(tx, hash); } async function g(tx) { await insertSecurityEvent(tx, event); }",
      "deletePasskeys(tx, id);",
      "store.insertIdentity(tx, id);",
    ],
  },
  "context-transactions": {
    fine: ["await ctx.transaction((tx) => store(tx));", "await ctx.transaction(work);"],
    breaches: ["await handle.db.transaction().execute(work);", "db.transaction().setAccessMode('read only');"],
  },
  "reader-locale": {
    fine: ["new Intl.DateTimeFormat(readerLocale(language), options);", "size.toLocaleString('en');", "readerTimeZone();"],
    breaches: [
      "const [first] = navigator.languages;",
      "const own = navigator.language;",
      "new Intl.NumberFormat().format(count);",
      "date.toLocaleDateString();",
      "const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;",
    ],
  },
  "loaded-parts": {
    fine: ['const a = page("auth", async () => (await import("./a.tsx")).A);', 'await loadPart(() => import("./a.ts"));'],
    breaches: ['const a = lazy(() => import("./a.tsx"));', 'const { a } = await import("./a.ts");'],
  },
  "refusable-interfaces": {
    fine: ['readSetting("a");', "const id = randomId();", "onPageBack(follow);"],
    breaches: [
      'localStorage.getItem("a");',
      "window.sessionStorage.clear();",
      'const channel = new BroadcastChannel("a");',
      "await navigator.locks.query();",
      "const id = crypto.randomUUID();",
      'addEventListener("pageshow", (event) => event.persisted && follow());',
    ],
  },
  "shown-answers": {
    fine: ["await showAnswer(familyQuery.queryKey, answer);", "queryClient.getQueryData(key);"],
    breaches: [
      "queryClient.setQueryData(key, answer);",
      "client.setQueryData(key, text);",
      "client.setQueriesData({ queryKey }, change);",
      "useMutation({ mutationFn, onSuccess: (answer) => client.setQueryData(key, answer) });",
    ],
  },
  "patient-waits": {
    fine: [
      "expect.poll(() => heard).toEqual([]);",
      "expect.poll(look, { interval: 1 });",
      "vi.waitFor(check, PATIENCE);",
      'listener.waitFor("charge.refunded", 2);',
      "await waitFor(check);",
      'screen.findByRole("button", { name: "Call" });',
    ],
    breaches: [
      "expect.poll(() => heard, { timeout: 5_000 }).toEqual([]);",
      "vi.waitFor(check);",
      "vi.waitUntil(isOver);",
      "vi.waitFor(check, 10_000);",
      "await waitFor(check, { timeout: 5000 });",
      'screen.findByText("Paid", {}, { timeout: 5000 });',
    ],
  },
  "one-form": {
    fine: ['<form method="get" action="/rates" />;', "<Form onSubmit={send} />;", "<Field value={text} onValue={setText} />;"],
    breaches: [
      "<form noValidate onSubmit={send} />;",
      "<form {...props} />;",
      "<Field value={text} onChange={(event) => setText(event.target.value)} />;",
    ],
  },
  "named-autofill": {
    fine: [
      '<input type="email" autoComplete="email" />;',
      '<input type="checkbox" checked />;',
      '<textarea autoComplete="off" rows={3} />;',
      "<select value={zone} />;",
    ],
    breaches: ['<input type="text" />;', "<input {...props} />;", "<textarea rows={3} />;", "<input type={shown} />;"],
  },
  "own-text-element": {
    fine: [
      "const a = <button><Icon of={x} /><span>{t('a')}</span></button>;",
      "const a = <p>{busy ? t('a') : t('b')}</p>;",
      "const a = <Button>{t('a')}</Button>;",
      "const a = <ul>{head && <li />}{rows.map((row) => <li key={row} />)}</ul>;",
      "interface P { readonly aside: ReactElement } const a = <div><b />{aside}</div>;",
      "const a = <p><b>{x}</b>{' '}<i>{y}</i></p>;",
      "function Card({ children }) { return <div>{head && <b />}{children}</div>; }",
    ],
    breaches: [
      "const a = <button>{busy && <Spinner />}{t('a')}</button>;",
      "const a = <p>Text <b>{x}</b></p>;",
      "const a = <p><Icon />{word}</p>;",
      "const a = <p><b />{busy && t('a')}</p>;",
      "const a = <p><b />{busy ? `${x} left` : null}</p>;",
      "const a = <>{t('a')}</>;",
      "const a = <Card>{t('a')}</Card>;",
      "function Rate() { return t('a'); }",
      "function Button({ children }) { return <button>{busy && <Spinner />}{children}</button>; }",
    ],
  },
};

for (const [name, { fine, breaches }] of Object.entries(CASES))
  tester.run(name, plugin.rules[name as keyof typeof CASES] as never, {
    valid: [...fine],
    invalid: breaches.map((code) => ({ code, errors: 1 })),
  });
