import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { LanguageChoice } from "./language-choice.tsx";

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.restoreAllMocks();
});

test("a language is listed in its own name, remembered for pages and app, and the page is rendered in it", async () => {
  const reload = vi.spyOn(window.location, "reload").mockImplementation(() => undefined);
  render(<LanguageChoice language="en" />);
  expect(screen.getByRole("combobox")).toHaveValue("en");
  await userEvent.selectOptions(screen.getByRole("combobox"), "Français");
  expect(localStorage.getItem("language")).toBe("fr");
  expect(document.cookie).toContain("language=fr");
  expect(reload).toHaveBeenCalledOnce();
});
