import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { aCall, aContact, listOf } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";

const service = withFakeService();

const kwame = aContact({ company: "Accra City Bank", notes: "Brother of Ama", email: "kwame@example.com" });
const home = {
  phone_number: "+233302000142",
  extension: "",
  phone_number_type: "home",
  country_code: "GH",
  country_name: "Ghana",
  rate_per_minute: "0.1980",
  first_interval_s: 1,
  next_interval_s: 1,
} as const;
const listed = (...contacts: ReturnType<typeof aContact>[]) => ({ contacts, next_cursor: null, total: contacts.length });
const row = (name: string) => screen.findByRole("button", { name: new RegExp(`^${name},`) });
const names = () => screen.queryAllByRole("button", { name: /, (Mobile|Work|Home|Other), / }).map((one) => one.id);
const idsOf = (...contacts: readonly { readonly id: string }[]) => contacts.map(({ id }) => `contact-${id}`);

async function openMenu(person: Awaited<ReturnType<typeof openApp>>) {
  await person.click(await screen.findByRole("button", { name: "More: Import, Export" }));
}

async function openSheet(person: Awaited<ReturnType<typeof openApp>>, name = "Kwame Mensah") {
  await person.click(await row(name));
  return within(await screen.findByRole("region", { name }));
}

describe("the list", () => {
  test("shows an empty state with one Add and one Import, and no export", async () => {
    const person = await openApp("/contacts");
    expect(await screen.findByText("No Contacts Yet")).toBeVisible();
    expect(
      screen.getAllByRole("button", { name: /Add|Import/ }).map((one) => one.getAttribute("aria-label") ?? one.textContent),
    ).toEqual(["Add Contact", "More: Import, Export", "Import Contacts"]);
    await openMenu(person);
    expect(screen.getByRole("button", { name: "Export" })).toBeDisabled();
    await person.keyboard("{Escape}");
    expect(screen.queryByRole("button", { name: "Import" })).toBeNull();
    expect(screen.getByText("0 contacts").closest("[role=status]")).not.toBeNull();
    await person.click(screen.getByRole("button", { name: "Import Contacts" }));
    expect(screen.getByRole("dialog", { name: "Import Contacts" })).toBeVisible();
  });

  test("can be reloaded after an error", async () => {
    service().on("GET /api/contacts", refused("rate_limited", "Too many attempts."));
    const person = await openApp("/contacts");
    expect(await screen.findByRole("alert")).toHaveTextContent("Failed to fetch contacts");
    service().on("GET /api/contacts", listed(kwame));
    await person.click(screen.getByRole("button", { name: "Try again" }));
    expect(await row("Kwame Mensah")).toBeVisible();
  });

  test("shows name, place and price per minute; a press opens the sheet with the rest, which gives the focus back", async () => {
    const uncallable = aContact({ full_name: "Nobody To Call", rate_per_minute: null });
    service().on("GET /api/contacts", listed(kwame, uncallable));
    service().on("GET /api/calls/history", ({ query }) => ({
      calls: listOf(query["contact"] === kwame.id ? [aCall({ status: "failed", end_reason: "busy", answered_at: null })] : []),
    }));
    const person = await openApp("/contacts");
    expect(await row("Nobody To Call")).toHaveAccessibleName("Nobody To Call, Mobile, Ghana, No rate");
    expect(await row("Kwame Mensah")).toHaveAccessibleName("Kwame Mensah, Mobile, Ghana, $0.1420/min");
    const sheet = await openSheet(person);
    expect(sheet.getByRole("heading")).toHaveFocus();
    expect(await sheet.findByText(/\+233 20 000 0142/)).toBeVisible();
    expect(sheet.getByText("$0.1420/min")).toBeVisible();
    expect(sheet.getByText("$1 = 7 min")).toBeVisible();
    expect(sheet.getByText("Accra City Bank")).toBeVisible();
    expect(sheet.getByText("Brother of Ama")).toBeVisible();
    expect(sheet.getByRole("link", { name: "kwame@example.com" })).toHaveAttribute("href", "mailto:kwame@example.com");
    const history = sheet.getByRole("link", { name: "Calls with Kwame Mensah" });
    expect(history).toHaveAttribute("href", `/history?contact=${kwame.id}`);
    await waitFor(() => expect(history.closest("li")).toHaveTextContent(/, busy$/));
    const dialer = sheet.getByRole("link", { name: "In the dialer" });
    expect(dialer).toHaveAttribute("href", "/dialer?number=%2B233200000142&name=Kwame+Mensah");
    await person.keyboard("{Escape}");
    expect(screen.queryByRole("region", { name: "Kwame Mensah" })).toBeNull();
    expect(await row("Kwame Mensah")).toHaveFocus();
    expect((await openSheet(person, "Nobody To Call")).getByRole("button", { name: "Call Nobody To Call" })).toBeDisabled();
    expect(await screen.findByText("No calls yet")).toBeVisible();
  });

  test("opens the sheet as a dialog on a phone", async () => {
    vi.spyOn(window, "matchMedia").mockImplementation(
      (media) =>
        ({ media, matches: false, addEventListener: () => {}, removeEventListener: () => {} }) as unknown as MediaQueryList,
    );
    service().on("GET /api/contacts", listed(kwame));
    const person = await openApp("/contacts");
    await person.click(await row("Kwame Mensah"));
    const sheet = within(await screen.findByRole("dialog", { name: "Kwame Mensah" }));
    await person.click(sheet.getByRole("button", { name: "Edit Kwame Mensah" }));
    await person.click(within(screen.getByRole("dialog", { name: "Edit contact" })).getByRole("button", { name: "Cancel" }));
    await person.click(within(screen.getByRole("dialog", { name: "Kwame Mensah" })).getByRole("button", { name: "Close" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(await row("Kwame Mensah")).toHaveFocus();
  });

  test("puts favourites first, each contact once, and moves by the arrow keys", async () => {
    const [ama, zed] = [aContact({ full_name: "Ama", favorite: true }), aContact({ full_name: "Zed" })];
    service().on("GET /api/contacts", ({ query }) => (query["favorites"] === "true" ? listed(ama) : listed(ama, kwame, zed)));
    const person = await openApp("/contacts");
    await row("Zed");
    expect(names()).toEqual(idsOf(ama, kwame, zed));
    expect(await row("Ama")).toHaveAccessibleName("Ama, Mobile, Ghana, $0.1420/min, Favorite");
    expect(screen.getByText("All, 3")).toBeVisible();
    (await row("Ama")).focus();
    await person.keyboard("{ArrowDown}");
    expect(await row("Kwame Mensah")).toHaveFocus();
    await person.keyboard("{End}");
    expect(await row("Zed")).toHaveFocus();
    await person.keyboard("{Delete}");
    expect(screen.getByRole("dialog", { name: "Zed" })).toHaveTextContent("Are you sure you want to delete this contact?");
    expect(service().asked("DELETE /api/contacts/:id")).toEqual([]);
  });

  test.each([
    ["en", 120, "dialer"],
    ["en", -120, "delete"],
    ["ar", -120, "dialer"],
    ["en", 60, "nothing"],
  ] as const)("in %s a swipe of %d px leads to: %s", async (language, dx, to) => {
    service().on("GET /api/contacts", listed(kwame));
    await openApp("/contacts", { language });
    const swiped = await screen.findByRole("button", { name: /Kwame Mensah[,،]/ });
    swiped.setPointerCapture = () => {};
    const at = (clientX: number) => ({ clientX, clientY: 300, pointerType: "touch", pointerId: 1, isPrimary: true });
    fireEvent.pointerDown(swiped, at(400));
    fireEvent.pointerMove(swiped, at(400 + dx / 2));
    fireEvent.pointerMove(swiped, at(400 + dx));
    fireEvent.pointerUp(swiped, at(400 + dx));
    fireEvent.click(swiped, { detail: 1 });
    if (to === "dialer") await waitFor(() => expect(window.location.pathname).toBe("/dialer"));
    else expect(screen.queryAllByRole("dialog")).toHaveLength(to === "delete" ? 1 : 0);
    // The press that ends a swipe opens nothing.
    expect(screen.queryByRole("region", { name: "Kwame Mensah" })).toBeNull();
  });

  test("opens by key or screen reader also after a swipe that ended without a press", async () => {
    service().on("GET /api/contacts", listed(kwame));
    await openApp("/contacts");
    const swiped = await row("Kwame Mensah");
    swiped.setPointerCapture = () => {};
    const at = (clientX: number) => ({ clientX, clientY: 300, pointerType: "touch", pointerId: 1, isPrimary: true });
    fireEvent.pointerDown(swiped, at(400));
    fireEvent.pointerMove(swiped, at(460));
    fireEvent.pointerUp(swiped, at(460));
    fireEvent.click(swiped, { detail: 0 });
    expect(await screen.findByRole("region", { name: "Kwame Mensah" })).toBeVisible();
  });

  test("shows every number with its price and a link to the dialer", async () => {
    const uncallable = { ...home, phone_number: "+233302000199", rate_per_minute: null };
    service().on("GET /api/contacts", listed(aContact({ other_numbers: [home, uncallable] })));
    const sheet = await openSheet(await openApp("/contacts"));
    expect((await sheet.findByRole("link", { name: /\+233 30 200 0142/ })).getAttribute("href")).toBe(
      "/dialer?number=%2B233302000142&name=Kwame+Mensah",
    );
    expect(sheet.getByText("Home · $0.1980/min")).toBeVisible();
    expect(sheet.getByText("Home · No rate")).toBeVisible();
  });

  test("is right to left in Arabic, and numbers keep their order", async () => {
    service().on(
      "GET /api/contacts",
      listed(aContact({ full_name: "حسن الأمين", phone_number: "+97145000142", country_code: "AE" })),
    );
    const person = await openApp("/contacts", { language: "ar" });
    expect(document.documentElement).toHaveAttribute("dir", "rtl");
    expect((await screen.findByText("حسن الأمين")).tagName).toBe("BDI");
    await person.click(await screen.findByRole("button", { name: /^حسن الأمين/ }));
    await waitFor(() => expect(screen.getByText(/971/).textContent).toBe("\u2066+971 4 500 0142\u2069"));
  });

  test("is searched by the typed text, and says when nothing is found", async () => {
    const lucia = aContact({ full_name: "Lucía Fernández" });
    service().on("GET /api/contacts", ({ query }) => {
      if (query["search"] === "fernandez") return listed(lucia);
      return query["search"] === undefined ? listed(kwame, lucia) : listed();
    });
    const person = await openApp("/contacts");
    await row("Kwame Mensah");
    const search = screen.getByRole("searchbox", { name: "Search contacts" });
    await person.type(search, "fernandez");
    await waitFor(() => expect(names()).toEqual(idsOf(lucia)));
    await person.clear(search);
    await person.type(search, "zzzz");
    expect(await screen.findByText("No contacts found matching your search.")).toBeVisible();
    await openMenu(person);
    expect(screen.getByRole("button", { name: "Export" })).toBeEnabled();
  });

  test("filters favorites, and explains how to add one when there are none", async () => {
    service().on("GET /api/contacts", ({ query }) => (query["favorites"] === "true" ? listed() : listed(kwame)));
    const person = await openApp("/contacts");
    await row("Kwame Mensah");
    await person.click(screen.getByRole("button", { name: "Favorites" }));
    expect(screen.getByRole("button", { name: "Favorites" })).toHaveAttribute("aria-pressed", "true");
    expect(await screen.findByText("No favorites yet")).toBeVisible();
    // A contact added now is not hidden by the filter.
    service().on("POST /api/contacts", { contact: kwame });
    await person.click(screen.getByRole("button", { name: "Add Contact" }));
    await person.type(screen.getByLabelText("First name"), "Kwame");
    await person.type(screen.getByLabelText("Phone number"), "+233200000142");
    await person.click(screen.getByRole("button", { name: "Save" }));
    expect(await row("Kwame Mensah")).toBeVisible();
  });

  test("loads further pages", async () => {
    const zed = aContact({ full_name: "Zed" });
    service().on("GET /api/contacts", ({ query }) =>
      query["cursor"] === "next" ? listed(zed) : { ...listed(kwame), next_cursor: "next", total: 2 },
    );
    const person = await openApp("/contacts");
    await person.click(await screen.findByRole("button", { name: "Show more" }));
    await waitFor(() => expect(names()).toEqual(idsOf(kwame, zed)));
    expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
  });
});

describe("the star", () => {
  const star = () => screen.findByRole("button", { name: "Favorite: Kwame Mensah" });

  test("changes before the service answers", async () => {
    service().on("GET /api/contacts", listed(kwame));
    const release = service().hold("POST /api/contacts/:id/favorite", { contact: { ...kwame, favorite: true } });
    const person = await openApp("/contacts");
    await openSheet(person);
    await person.click(await star());
    await waitFor(async () => expect(await star()).toHaveAttribute("aria-pressed", "true"));
    release();
    expect(await screen.findByText("Favorite updated")).toBeVisible();
    expect(service().ids("POST /api/contacts/:id/favorite")).toEqual([kwame.id]);
  });

  test("stays although an older list comes later, which is then read again", async () => {
    service().on("GET /api/contacts", ({ query }) => (query["favorites"] === "true" ? listed() : listed(kwame)));
    const person = await openApp("/contacts");
    await openSheet(person);
    const answerOlder = service().hold("GET /api/contacts", listed(kwame));
    await act(async () => service().hint({ type: "contacts" }));
    const lists = () =>
      service()
        .asked("GET /api/contacts")
        .filter(({ query }) => query["favorites"] === undefined).length;
    await waitFor(() => expect(lists()).toBe(2));
    const answer = service().hold("POST /api/contacts/:id/favorite", { contact: { ...kwame, favorite: true } });
    await person.click(await star());
    const answerNewer = service().hold("GET /api/contacts", listed({ ...kwame, favorite: true, company: "Elsewhere" }));
    await act(async () => answerOlder());
    expect(await star()).toHaveAttribute("aria-pressed", "true");
    answer();
    await waitFor(() => expect(lists()).toBe(3));
    expect(await star()).toHaveAttribute("aria-pressed", "true");
    answerNewer();
    expect(await screen.findByText("Elsewhere")).toBeVisible();
  });

  test("puts the contact among the favourites, on the dialer too", async () => {
    let starred = { ...kwame, favorite: false };
    service().on("GET /api/contacts", ({ query }) =>
      query["favorites"] === "true" && !starred.favorite ? listed() : listed(starred),
    );
    service().on("POST /api/contacts/:id/favorite", () => {
      starred = { ...kwame, favorite: true };
      return { contact: starred };
    });
    const person = await openApp("/contacts");
    await openSheet(person);
    await person.click(await star());
    await screen.findByText("Favorite updated");
    expect(await screen.findByRole("region", { name: "Favorites" })).toHaveTextContent(/Kwame Mensah/);
    await person.click((await screen.findAllByRole("link", { name: "Dialer" }))[0] as HTMLElement);
    expect(await screen.findByRole("button", { name: /^Call Kwame Mensah, / })).toBeVisible();
  });

  test("reverts if the service refuses", async () => {
    service().on("GET /api/contacts", listed(kwame));
    service().on("POST /api/contacts/:id/favorite", refused("not_found", "This contact is gone."));
    const person = await openApp("/contacts");
    await openSheet(person);
    await person.click(await star());
    expect(await screen.findByText("This contact is gone.")).toBeVisible();
    expect(await star()).toHaveAttribute("aria-pressed", "false");
  });
});
