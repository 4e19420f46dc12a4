import { expect, test } from "vitest";
import { pino } from "pino";
import { readHostCookie, setHostCookie } from "./host-cookie.ts";
import { createApp } from "./http.ts";

/** A server that sets the cookie, and says what it reads. */
function serverOf(publicUrl: string | undefined) {
  const app = createApp({ log: pino({ level: "silent" }), trustedProxies: 0, publicUrl });
  app.get("/", { config: { access: "visitor" } }, async (request, reply) => {
    setHostCookie(reply, "__Host-browser", "a", 60);
    return reply.send({ read: readHostCookie(request, "__Host-browser") ?? null });
  });
  return async (cookie = "") => {
    const { headers, json } = await app.inject({ url: "/", headers: { cookie } });
    return { set: headers["set-cookie"], read: json<{ read: string | null }>().read };
  };
}

test.each(["https://calls.example.com", undefined])("at %s the cookie is secure and bound to the host", async (publicUrl) => {
  const ask = serverOf(publicUrl);
  expect((await ask()).set).toBe("__Host-browser=a; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Strict");
  expect((await ask("__Host-browser=b")).read).toBe("b");
  // Anything on a sibling host may set a cookie without the prefix.
  expect((await ask("browser=b")).read).toBeNull();
});

test("on plain http it is one that every browser keeps", async () => {
  const ask = serverOf("http://localhost:3000");
  expect((await ask()).set).toBe("browser=a; Max-Age=60; Path=/; HttpOnly; SameSite=Strict");
  expect((await ask("browser=b")).read).toBe("b");
});
