import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { languages } from "@farline/domain/languages.ts";
import { describe, expect, test } from "vitest";
import { built, deckOf, GOOD, row, rows, site, withPages } from "../../test/worlds/public-site.ts";
import { compressPage, PageCache } from "./page-cache.ts";

const NOTICES = fileURLToPath(new URL("../../../web/dist/third-party-notices.txt", import.meta.url));

const dataOf = (body: string) =>
  JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/.exec(body)?.[1] ?? "null") as unknown;

describe("pages of the public site", () => {
  test("the landing page is rendered in full, with claims that match the deck", () =>
    withPages({}, async (app) => {
      const { statusCode, headers, body } = await app.inject("/");
      expect([statusCode, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      expect(body).toMatch(/^<!doctype html><html lang="en" dir="ltr">/);
      expect(body).toContain("<title>Farline: cheap international calls in your browser</title>");
      expect(body).toContain('<link rel="canonical" href="https://farline.example/"/>');
      expect(body).toContain("Cheap International Calls In Your Browser");
      expect(body).toContain("Call landlines and mobiles in 3 countries and territories, from $0.0100/min.");
      expect(body).toContain("Popular Calling Rates");
      expect(body).toContain("$0.0210");
      expect(body).not.toMatch(/50x|First call is FREE|HD voice|100\+|83\+/);
    }));

  test("pages have no inline scripts or styles", () =>
    withPages({}, async (app) => {
      for (const url of ["/", "/rates", "/rates/ghana", "/quality", "/about", "/status"]) {
        const { body } = await app.inject(url);
        for (const [script] of body.matchAll(/<script[^>]*>/g)) expect(script).toMatch(/ src="|type="application\/(ld\+)?json"/);
        expect(body).not.toMatch(/<style|\sstyle="|\son[a-z]+="/);
      }
    }));

  test("without a deck the pages make no claim about prices", () =>
    withPages({ deck: null }, async (app) => {
      const landing = (await app.inject("/")).body;
      expect(landing).toContain("Call landlines and mobiles abroad.");
      expect(landing).not.toContain("Popular Calling Rates");
      expect((await app.inject("/rates")).body).toContain("The rates are not ready");
      expect((await app.inject("/rates/ghana")).statusCode).toBe(404);
    }));

  test("the rates page shows every country with what most calls cost, range and prefixes", () =>
    withPages({}, async (app) => {
      const { body } = await app.inject("/rates");
      expect([...body.matchAll(/data-country="([^"]+)"/g)].map(([, code]) => code)).toEqual(["GH", "IN", "US"]);
      for (const text of [
        "/min, what most calls cost",
        "$0.3020",
        "$0.3200",
        "Why choose Farline",
        "Rates in force since 1 January 2026.",
      ])
        expect(body).toContain(text);
    }));

  test("a country's page shows every price with its increment, and how to dial", () =>
    withPages({}, async (app) => {
      const { body } = await app.inject("/rates/ghana");
      for (const text of [
        "Call Ghana",
        "+233",
        "$0.3200/min",
        "in steps of 6 seconds, at least 30 seconds",
        "by the second",
        "Africa/Accra",
        "+23324, +23325",
      ])
        expect(body).toContain(text);
    }));

  test("two countries are compared without scripts; an unknown one, or none, leads to the choice", () =>
    withPages({}, async (app) => {
      const { body } = await app.inject("/rates/compare?a=ghana&b=india");
      for (const text of ["Mobile · what most calls cost", "$0.3200/min", "$0.0210/min", "Not sold", ">15<", ">238<"])
        expect(body).toContain(text);
      expect(body).toContain('<option value="ghana" selected="">Ghana</option>');
      expect(body).toContain('<meta name="robots" content="noindex"/>');
      for (const url of ["/rates/compare", "/rates/compare?a=atlantis&b=india", "/rates/compare?a=<script>&a=2"])
        expect((await app.inject(url)).body).toContain("Choose two countries.");
      expect((await app.inject("/rates/compare")).body).toContain('<link rel="canonical"');
    }));

  test.each(["/quality", "/about", "/help", "/contact", "/terms", "/privacy", "/emergency-calls", "/status"])(
    "%s exists",
    (url) =>
      withPages({}, async (app) => {
        const { statusCode, body } = await app.inject(url);
        expect(statusCode).toBe(200);
        expect(body).toContain(`<link rel="canonical" href="https://farline.example${url}"/>`);
        expect(body).toContain("Farline is not for emergency calls.");
      }),
  );

  test("every page names the seller; contact, about and terms give tax number, law and the date", () =>
    withPages({}, async (app) => {
      for (const url of ["/", "/rates", "/rates/ghana", "/help", "/privacy", "/status", "/rates/atlantis"])
        for (const text of [
          "Example Calls Ltd, 1 Main Road, 12345 Example",
          "Companies House 01234567",
          "help@farline.example",
          "United Kingdom Time",
          "You can take back unused credit for 180 days. Credit does not expire.",
          "Mastercard",
        ])
          expect((await app.inject({ url, headers: { accept: "text/html" } })).body).toContain(text);
      for (const url of ["/about", "/contact", "/terms"]) expect((await app.inject(url)).body).toContain("Tax number GB123");
      const { body } = await app.inject("/terms");
      for (const text of ["The law of England and Wales applies.", "In force since", "Credit does not expire"])
        expect(body).toContain(text);
      expect(body).not.toContain("This is a sample.");
    }));

  test("every page says in plain words that calls and payments are closed, and no longer when they are open", async () => {
    const said = "Calls and payments are closed until every amount is checked.";
    await withPages({ closed: true }, async (app) => {
      for (const url of ["/", "/rates", "/help", "/status"]) expect((await app.inject(url)).body).toContain(said);
    });
    await withPages({}, async (app) => expect((await app.inject("/")).body).not.toContain(said));
  });

  test("the sample seller is marked as a sample on each page", () => {
    const reader = { language: "en", theme: null, textSize: null, signedIn: false } as const;
    for (const name of ["about", "contact", "terms"] as const) {
      const page = name === "about" ? { name, rates: null } : { name };
      const sample = { ...site, seller: { ...site.seller, sample: true } };
      const html = built.renderPage({ page, path: `/${name}`, reader, year: 2026, site: sample, closed: false });
      expect(html).toContain("This is a sample. Nobody sells anything here.");
      expect(html).toContain("Sample seller: Example Calls Ltd");
    }
  });

  test.each(languages)("the help page in %s answers every question, with all placeholders filled", (language) => {
    const reader = { language, theme: null, textSize: null, signedIn: false } as const;
    const render = (firstCall: string | null) =>
      built.renderPage({
        page: { name: "help" },
        path: "/help",
        reader,
        year: 2026,
        site: { ...site, firstCall },
        closed: false,
      });
    const html = render("0.25");
    const ids = [...html.matchAll(/<details class="[^"]*" id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(20);
    expect(new Set(ids).size).toBe(ids.length);
    const asked = (dataOf(html) as { mainEntity: { name: string; acceptedAnswer: { text: string } }[] }).mainEntity;
    expect(asked).toHaveLength(ids.length);
    for (const { name, acceptedAnswer } of asked) {
      expect(html).toContain(name);
      expect(acceptedAnswer.text.length).toBeGreaterThan(40);
      expect(name + acceptedAnswer.text).not.toMatch(/[{}]|\b(question|link|dialer|billing|common)[.:]\w/);
    }
    expect(html).toContain("mailto:help@farline.example");
    expect(html).toMatch(/0[.,]25/);
    expect(render(null)).not.toContain('id="first-call"');
  });

  test("searches and late pages are cached, and rendering new ones is limited per address", () =>
    withPages({}, async (app, seen) => {
      for (const url of ["/rates?q=gh", "/rates?page=500", "/status"])
        for (let times = 0; times < 3; times += 1) expect((await app.inject(url)).statusCode).toBe(200);
      expect(seen).toHaveLength(3);
      const codes: number[] = [];
      for (let page = 100; page < 170; page += 1) codes.push((await app.inject(`/rates?page=${page}`)).statusCode);
      expect(codes.filter((code) => code === 200)).toHaveLength(58);
      expect(codes.at(-1)).toBe(429);
      for (const url of ["/", "/rates?q=gh", "/rates?page=3"]) expect((await app.inject(url)).statusCode).toBe(200);
      const elsewhere = { url: "/rates?page=900", remoteAddress: "203.0.113.7" };
      expect((await app.inject(elsewhere)).statusCode).toBe(200);
    }));

  test("status names the part that is down", () =>
    withPages({ parts: { ...GOOD, voice: "down" } }, async (app) => {
      expect((await app.inject("/status")).body).toMatch(/Something is not working.*Calls.*Not working/);
    }));

  test("an unknown country has a 404 page that search engines do not index", () =>
    withPages({}, async (app, seen) => {
      for (const url of ["/rates/atlantis", "/rates/constructor", "/rates/%3Cscript%3E"]) {
        const { statusCode, body } = await app.inject(url);
        expect(statusCode).toBe(404);
        expect(body).toContain('<meta name="robots" content="noindex"/>');
        expect(body).not.toContain("<script>");
      }
      expect(seen).toHaveLength(1);
    }));

  test("other spellings of a country redirect to its canonical URL", () =>
    withPages({}, async (app) => {
      const { statusCode, headers } = await app.inject("/rates/United%20States");
      expect([statusCode, headers.location]).toEqual([301, "/rates/united-states"]);
    }));
});

describe("what search engines read", () => {
  test("structured data states a country's exact prices, units and increments", () =>
    withPages({}, async (app) => {
      const minute = { "@type": "QuantitativeValue", value: 60, unitCode: "SEC" };
      const offer = (name: string, category: string, price: string, [first, next]: readonly number[]) => ({
        "@type": "Offer",
        name,
        category,
        priceCurrency: "USD",
        price,
        validFrom: "2026-01-01T00:00:00.000Z",
        priceSpecification: {
          "@type": "UnitPriceSpecification",
          price,
          priceCurrency: "USD",
          unitCode: "SEC",
          referenceQuantity: minute,
          billingIncrement: next,
          eligibleQuantity: { "@type": "QuantitativeValue", minValue: first, unitCode: "SEC" },
        },
      });
      expect(dataOf((await app.inject("/rates/ghana")).body)).toEqual({
        "@context": "https://schema.org",
        "@type": "Service",
        name: "Calls to Ghana",
        serviceType: "International telephone calls",
        provider: { "@type": "Organization", name: "Farline", url: "https://farline.example/" },
        areaServed: { "@type": "Country", name: "Ghana", identifier: "GH" },
        url: "https://farline.example/rates/ghana",
        offers: [
          offer("GH mobile", "mobile", "0.3200", [30, 6]),
          offer("GH landline", "landline", "0.3020", [1, 1]),
          offer("GH toll_free", "toll_free", "0.0800", [1, 1]),
        ],
      });
    }));

  test("structured data of the rates page states the price range, and an increment only if all share it", () =>
    withPages({}, async (app) => {
      const data = dataOf((await app.inject("/rates")).body) as {
        offers: { lowPrice: string; highPrice: string; priceCurrency: string };
      };
      expect(data.offers).toMatchObject({ lowPrice: "0.0100", highPrice: "0.3200", priceCurrency: "USD", offerCount: 3 });
      expect(JSON.stringify(data)).not.toContain("billingIncrement");
    }));

  test("the sitemap lists every page and country, and robots.txt names it", () =>
    withPages({}, async (app) => {
      const map = (await app.inject("/sitemap.xml")).body;
      for (const path of ["/", "/quality", "/help"])
        expect(map).toContain(`<url><loc>https://farline.example${path}</loc></url>`);
      expect(map).toContain("<url><loc>https://farline.example/rates/ghana</loc><lastmod>2026-01-01</lastmod></url>");
      expect((await app.inject("/robots.txt")).body).toContain("Sitemap: https://farline.example/sitemap.xml");
    }));
});

describe("rendering once", () => {
  test("a page is rendered once per deck", () =>
    withPages({}, async (app, seen, change) => {
      const first = await app.inject("/rates/ghana");
      const again = await app.inject("/rates/ghana");
      expect([seen.length, again.headers.etag]).toEqual([1, first.headers.etag]);
      change(deckOf("two", [...rows.slice(1), row("233", ["GH", "landline"], "0.4000")]));
      const later = await app.inject("/rates/ghana");
      expect(seen).toHaveLength(2);
      expect(later.headers.etag).not.toBe(first.headers.etag);
      expect(later.body).toContain("$0.4000");
    }));

  test("a cached page gets a 304, and compressed responses decode to the same page", () =>
    withPages({}, async (app) => {
      const plain = await app.inject("/rates/ghana");
      const etag = String(plain.headers.etag);
      const known = await app.inject({ url: "/rates/ghana", headers: { "if-none-match": etag } });
      expect([known.statusCode, known.body]).toEqual([304, ""]);
      const [br, gz] = await Promise.all(
        ["br", "gzip"].map((encoding) => app.inject({ url: "/rates/ghana", headers: { "accept-encoding": encoding } })),
      );
      expect(br?.headers["content-encoding"]).toBe("br");
      expect(brotliDecompressSync(br?.rawPayload ?? Buffer.alloc(0)).toString()).toBe(plain.body);
      expect(gunzipSync(gz?.rawPayload ?? Buffer.alloc(0)).toString()).toBe(plain.body);
    }));

  test.each<[string, Record<string, string>, string]>([
    ["no preference", {}, "en"],
    ["a preferred language", { "accept-language": "es-MX,es;q=0.9,en;q=0.8" }, "es"],
    ["a second preference", { "accept-language": "de, ar;q=0.2, en;q=0.1" }, "ar"],
    ["an unwanted language", { "accept-language": "es;q=0, en" }, "en"],
    ["any language", { "accept-language": "*" }, "en"],
    ["nonsense", { "accept-language": "constructor,__proto__;q=x" }, "en"],
    ["far too many preferences", { "accept-language": `${"xx,".repeat(5_000)}es` }, "en"],
    ["a choice that differs from the preference", { "accept-language": "es", cookie: "a=b; language=ar" }, "ar"],
    ["a choice that is not spoken", { "accept-language": "es", cookie: "language=klingon" }, "es"],
  ])("%s is answered in the right language", (_what, headers, language) =>
    withPages({ spoken: ["en", "es", "ar"] }, async (app, seen) => {
      const answer = await app.inject({ url: "/about", headers });
      expect(seen[0]?.reader.language).toBe(language);
      expect(answer.headers.vary).toBe("accept-encoding, accept-language, cookie");
    }),
  );

  test("the footer links to the licences of bundled scripts, workers, fonts and images", () =>
    withPages({}, async (app) => {
      expect((await app.inject("/about")).body).toContain('href="/third-party-notices.txt"');
      const notices = readFileSync(NOTICES, "utf8");
      for (const name of ["react ", "@noble/hashes ", "@fontsource-variable/geologica ", "country-flag-icons "])
        expect(notices).toContain(`\n${name}`);
      expect(notices).toContain("SIL OPEN FONT LICENSE");
    }));

  test("signed-in users are redirected from / to the app, see rates there, and get a link back on other pages", () =>
    withPages({}, async (app) => {
      const headers = { accept: "text/html", cookie: "a=b; signed-in=1; theme=dark; text-size=large" };
      const home = await app.inject({ url: "/", headers });
      expect([home.statusCode, home.headers.location, home.headers["cache-control"]]).toEqual([302, "/dialer", "no-store"]);
      // The app's own handler, which follows these pages, is absent here.
      expect((await app.inject({ url: "/rates", headers })).statusCode).toBe(404);
      expect((await app.inject({ url: "/about", headers })).body).toMatch(/dark" data-text-size="large" data-signed-in="">/);
      expect((await app.inject({ url: "/about" })).body).toMatch(/<html lang="en" dir="ltr">/);
    }));

  test.each(["signed-in=2", "not-signed-in=1", "theme=<script>", "text-size=x"])("the cookie %s is ignored", (cookie) =>
    withPages({}, async (app) => {
      const [strange, plain] = await Promise.all([app.inject({ url: "/", headers: { cookie } }), app.inject("/")]);
      expect(strange.body).toBe(plain.body);
    }),
  );

  test("the cache is bounded, keeps used pages, shares renderings, and does not cache failures", async () => {
    const cache = new PageCache({ maxPages: 2 });
    let rendered = 0;
    const render = () => `page ${(rendered += 1)}`;
    const [one, same] = await Promise.all([cache.get("one", render), cache.get("one", render)]);
    expect([rendered, same]).toEqual([1, one]);
    await cache.get("two", render);
    await cache.get("one", render);
    await cache.get("three", render);
    await cache.get("one", render);
    expect(rendered).toBe(3);
    await cache.get("two", render);
    expect(rendered).toBe(4);
    await expect(
      cache.get("bad", () => {
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect((await cache.get("bad", () => "fine")).etag).toBe((await compressPage("fine", "read by many")).etag);
  });
});
