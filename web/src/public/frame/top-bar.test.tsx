import { cleanup, render, within } from "@testing-library/react";
import { I18nextProvider } from "react-i18next";
import { afterEach, expect, test } from "vitest";
import common from "@farline/texts/en/common.json";
import texts from "@farline/texts/en/public.json";
import { navigation } from "../../app/navigation.ts";
import { createTexts } from "../public-texts.ts";
import { TopBar } from "./top-bar.tsx";
import * as styles from "./top-bar.module.css";

afterEach(cleanup);

test("signed-in users reach every page of the app's bar from a public page, visitors its sections and the sign-up", () => {
  const view = render(
    <I18nextProvider i18n={createTexts("en", { en: { common, public: texts } })}>
      <TopBar path="/rates/ghana" />
    </I18nextProvider>,
  );
  const banner = within(view.getByRole("banner"));
  const addresses = (shown: string) =>
    [...view.container.querySelectorAll(`nav .${shown}`)].map((link) => link.getAttribute("href"));
  const member = navigation.map(({ to }) => to).filter((to) => to !== "/dialer");
  expect(addresses(styles.member)).toEqual([...member, ...member, "/account"]);
  expect(banner.getByRole("link", { name: "Dialer" })).toHaveAttribute("href", "/dialer");
  expect(banner.getAllByRole("link", { name: "Top Up" })).toHaveLength(2);
  const visitor = ["/#features", "/#how-it-works", "/rates"];
  expect(addresses(styles.visitor)).toEqual([...visitor, ...visitor, "/register"]);
});
