import type { DataExport } from "@farline/contract/personal-data/export.ts";
import { screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { refused } from "../../../../test/fake-service.ts";
import { downloaded, openApp, opensInside, withFakeService } from "../../../../test/open-app.tsx";
import { queryClient } from "../../../service/query-client.ts";
import { exportQuery } from "../account-queries.ts";

const service = withFakeService();

const card = () => screen.findByRole("region", { name: "Your data" });
const latest = (more: Partial<DataExport>): { export: DataExport } => ({
  export: {
    state: "preparing",
    failure: null,
    requested_at: "2026-05-18T09:00:00.000Z",
    expires_at: null,
    bytes: null,
    ...more,
  },
});

describe("the copy of a customer's data", () => {
  test("is requested once, and the page says that it will be mailed", async () => {
    service().on("POST /api/account/export", latest({}));
    const person = await openApp("/account");
    await person.click(await within(await card()).findByRole("button", { name: "Get a copy of my data" }));
    expect(await within(await card()).findByText(/We are preparing your copy/)).toBeVisible();
    expect(within(await card()).queryByRole("button")).toBeNull();
    expect(service().asked("POST /api/account/export")).toHaveLength(1);
  });

  test("requires the password if the sign-in is old", async () => {
    let proved = false;
    service().on("POST /api/account/export", () => (proved ? latest({}) : refused("reauth_required", "Enter your password.")));
    service().on("POST /api/reauthenticate", () => {
      proved = true;
      return undefined;
    });
    const person = await openApp("/account");
    await person.click(await within(await card()).findByRole("button", { name: "Get a copy of my data" }));
    await person.type(await screen.findByLabelText("Current password"), "right{Enter}");
    expect(await within(await card()).findByText(/We are preparing your copy/)).toBeVisible();
  });

  test("updates when the service reports that it is ready", async () => {
    service().on("GET /api/account/export", latest({}));
    await openApp("/account");
    expect(await within(await card()).findByText(/We are preparing your copy/)).toBeVisible();
    service().on("GET /api/account/export", latest({ state: "ready", expires_at: "2026-05-25T09:00:00.000Z", bytes: 1000 }));
    await queryClient.invalidateQueries({ queryKey: exportQuery.queryKey });
    expect(await within(await card()).findByText(/The link goes to grace@example\.com\. It works until .*25/)).toBeVisible();
  });

  test.each([
    [{ state: "ready", expires_at: "2026-05-25T09:00:00.000Z" }, /The link goes to grace@example\.com/],
    [{ state: "downloaded" }, /You downloaded your last copy/],
    [{ state: "expired" }, /has expired/],
    [{ state: "failed", failure: "too_large" }, /too large for a download/],
    [{ state: "failed", failure: "broken" }, /could not prepare your copy/],
  ] as const)("that is %o is explained, and a new one can be requested", async (more, text) => {
    service().on("GET /api/account/export", latest(more));
    await openApp("/account");
    expect(await within(await card()).findByText(text)).toBeVisible();
    expect(within(await card()).getByRole("button", { name: "Get a new copy" })).toBeEnabled();
  });

  test("opens the question about a failed copy inside the app", async () => {
    service().on("GET /api/account/export", latest({ state: "failed", failure: "broken" }));
    await openApp("/account");
    expect(opensInside(await within(await card()).findByRole("link", { name: "Contact us" }))).toBe(true);
  });

  test("shows the reason when the daily limit is reached", async () => {
    service().on("POST /api/account/export", refused("rate_limited", "Too many attempts. Try again in 12 hours."));
    const person = await openApp("/account");
    await person.click(await within(await card()).findByRole("button", { name: "Get a copy of my data" }));
    expect(await within(await card()).findByText("Too many attempts. Try again in 12 hours.")).toBeVisible();
  });

  test("can be reloaded after an error", async () => {
    service().on("GET /api/account/export", refused("unavailable", "Down."));
    const person = await openApp("/account");
    const again = await within(await card()).findByRole("button", { name: "Try again" });
    service().on("GET /api/account/export", { export: null });
    await person.click(again);
    expect(await within(await card()).findByRole("button", { name: "Get a copy of my data" })).toBeVisible();
  });
});

describe("the page of the mailed link", () => {
  test("downloads with a ticket", async () => {
    service().on("POST /api/account/export/ticket", { ticket: "t/1", expires_at: "2026-05-18T09:01:00.000Z" });
    const person = await openApp("/account/export#t=token-of-link");
    await person.click(await screen.findByRole("button", { name: "Download" }));
    expect(await screen.findByText(/The download has started/)).toBeVisible();
    expect(downloaded).toHaveBeenCalledWith("/api/account/export/file?ticket=t%2F1");
    expect(service().asked("POST /api/account/export/ticket")[0]?.body).toEqual({ token: "token-of-link" });
    expect(window.location.hash).toBe("");
  });

  test("says that the link was used, and offers no second download", async () => {
    service().on("POST /api/account/export/ticket", refused("link_expired", "This link no longer works."));
    const person = await openApp("/account/export#t=another-token");
    await person.click(await screen.findByRole("button", { name: "Download" }));
    expect(await screen.findByText(/the file was downloaded, has expired, or belongs to another account/)).toBeVisible();
    expect(screen.queryByRole("button", { name: "Download" })).toBeNull();
    expect(screen.getByRole("link", { name: "Back to my account" })).toHaveAttribute("href", "/account");
  });

  test("can be retried after a failure", async () => {
    service().on("POST /api/account/export/ticket", refused("unavailable", "We are down for a moment."));
    const person = await openApp("/account/export#t=third-token");
    await person.click(await screen.findByRole("button", { name: "Download" }));
    expect(await screen.findByText("We are down for a moment.")).toBeVisible();
    expect(screen.getByRole("button", { name: "Download" })).toBeEnabled();
  });
});
