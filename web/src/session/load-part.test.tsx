import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadPart } from "./load-part.ts";

const gone = new TypeError("Importing a module script failed.");
const reload = vi.fn<() => void>();
let page = "";

beforeEach(() => {
  sessionStorage.clear();
  reload.mockClear();
  vi.spyOn(window.location, "reload").mockImplementation(reload);
  vi.stubGlobal("fetch", async () => {
    if (page === "") throw new TypeError("Failed to fetch");
    return new Response(page);
  });
  document.head.innerHTML = '<script type="module" src="/assets/index-old.js"></script>';
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  document.head.innerHTML = "";
});

const load = () => loadPart(() => Promise.reject(gone));

test("a part that is missing after a deployment reloads the page, once", async () => {
  page = '<script type="module" src="/assets/index-new.js"></script>';
  void load();
  await vi.waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
  await expect(load()).rejects.toBe(gone);
  expect(reload).toHaveBeenCalledTimes(1);
});

test.each([
  ["the browser cancels because the user goes on", '<script type="module" src="/assets/index-old.js"></script>'],
  ["cannot be loaded without a network", ""],
])("a part that %s reloads nothing", async (_, served) => {
  page = served;
  await expect(load()).rejects.toBe(gone);
  expect(reload).not.toHaveBeenCalled();
});
