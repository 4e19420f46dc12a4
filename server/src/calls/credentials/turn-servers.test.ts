import { expect, test } from "vitest";
import { turnServers } from "./turn-servers.ts";

test("TURN credentials are an expiring username and its coturn HMAC", () => {
  const urls = ["turn:turn.example.com:3478?transport=udp", "turns:turn.example.com:443?transport=tcp"];
  const servers = turnServers({ urls, secret: "north" }, { name: "gencred1", expiresAt: new Date("2026-11-23T12:00:00.900Z") });
  // printf 1795435200:gencred1 | openssl dgst -sha1 -hmac north -binary | base64
  const credential = "57nrLE+CQyiLDOcA6aPzj9LdPvc=";
  expect(servers).toEqual(urls.map((one) => ({ urls: one, username: "1795435200:gencred1", credential })));
});
