import { aCall } from "../../test/answers.ts";
import { withFakeService } from "../../test/open-app.tsx";
import { startSession } from "../session/session.ts";
import { leaveCall, stayInCall } from "./live-call.ts";
import { afterEach, expect, test, vi } from "vitest";

const service = withFakeService();
const ID = "01976d00-0000-7000-8000-000000000001";
const pagesOf = (route: "POST /api/calls/:id/leave" | "POST /api/calls/:id/stay") =>
  service()
    .asked(route)
    .map(({ body }) => (body as { page: string }).page);

afterEach(() => void Reflect.deleteProperty(Request.prototype, "keepalive"));

test("a page that was left and goes on counts as another one, or the service would hang up its call", async () => {
  Object.defineProperty(Request.prototype, "keepalive", { configurable: true, value: false });
  service().on("POST /api/calls/:id/leave", { call: aCall() });
  service().on("POST /api/calls/:id/stay", { call: aCall() });
  await stayInCall(ID);
  await leaveCall(ID);
  await stayInCall(ID);
  const [before, after] = pagesOf("POST /api/calls/:id/stay");
  expect(pagesOf("POST /api/calls/:id/leave")).toEqual([before]);
  expect(after).not.toBe(before);
});

test("a browser that cancels a closing page's requests waits until the service is told", async () => {
  startSession("token-of-grace");
  const sent: unknown[] = [];
  vi.stubGlobal(
    "XMLHttpRequest",
    class {
      readonly #headers: Record<string, string> = {};
      #target: unknown[] = [];
      open = (...target: unknown[]) => void (this.#target = target);
      setRequestHeader = (name: string, value: string) => void (this.#headers[name] = value);
      send = (body: string) => void sent.push(...this.#target, this.#headers["Authorization"], JSON.parse(body));
    },
  );
  void leaveCall(ID);
  // At once, in the same task: the page may be gone in the next one.
  expect(sent).toEqual(["POST", `/api/calls/${ID}/leave`, false, "Bearer token-of-grace", { page: expect.any(String) }]);
});
