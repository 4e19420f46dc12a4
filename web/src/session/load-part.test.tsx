import { cleanup, render, screen, waitFor } from "@testing-library/react";
import { Suspense } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadPart, optionalPart } from "./load-part.ts";

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
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  document.head.innerHTML = "";
});

const load = () => loadPart(() => Promise.reject(gone));

test("a part that is missing after a deployment reloads the page, once", async () => {
  page = '<script type="module" src="/assets/index-new.js"></script>';
  void load();
  await expect.poll(() => reload.mock.calls).toHaveLength(1);
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

test("an optional part that could not be loaded is loaded again when it is next shown, and not before", async () => {
  page = "";
  const fetchPart = vi.fn<() => Promise<{ default: () => string }>>().mockRejectedValueOnce(gone);
  fetchPart.mockResolvedValue({ default: () => "The menu" });
  const Menu = optionalPart(fetchPart, () => "No menu");
  const shown = (
    <Suspense>
      <Menu />
    </Suspense>
  );
  const first = render(shown);
  expect(await screen.findByText("No menu")).toBeVisible();
  first.rerender(shown);
  expect(fetchPart).toHaveBeenCalledOnce();
  first.unmount();
  render(shown);
  await waitFor(() => expect(screen.getByText("The menu")).toBeVisible());
});
