import { expect, test } from "vitest";
import { removePersonal } from "../deploy/tracing/personal-attributes.ts";

test("spans are exported without addresses of people and pages", () => {
  const kept = {
    "http.route": "/api/calls/:id",
    "http.response.status_code": 200,
    "db.query.text": "select $1",
    "server.port": 3000,
  };
  const personal = {
    "url.path": "/dialer",
    "url.query": "?number=%2B447700900123",
    "url.full": "http://localhost/dialer?number=1",
    "http.target": "/verify-email?token=t",
    "client.address": "203.0.113.7",
    "network.peer.address": "203.0.113.7",
    "user_agent.original": "Mozilla/5.0",
  };
  const attributes: Record<string, unknown> = { ...kept, ...personal };
  removePersonal({ attributes });
  expect(attributes).toEqual(kept);
});
