import { type appPaths, dialerPath, forgotPasswordPath, googleReturnPaths, mailLinkPaths } from "@farline/contract/constants.ts";
import { type ComponentType, type FunctionComponent, lazy, useState } from "react";
import type { RouteObject } from "react-router";
import { prefetchDialer } from "../features/dialer/dialer-queries.ts";
import { prefetch } from "../service/prefetch.ts";
import { favoritesQuery } from "../service/queries.ts";
import { queryClient } from "../service/query-client.ts";
import { loadPart, retryOnceShown } from "../session/load-part.ts";
import { type Namespace, withTexts } from "../text/i18n.ts";
import { numberLibrary } from "../text/libraries.ts";
import { openNotices } from "./notices/notices.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { AnyoneLayout, Home, Root, SignedInLayout, VisitorLayout } from "./layouts.tsx";

type Page = FunctionComponent & {
  /** Loads the page in advance, so that it renders at once. */
  open(): Promise<unknown>;
};

/** A page as its own chunk, loaded together with its texts. */
function page(texts: Namespace, load: () => Promise<ComponentType>): Page {
  let opened: ComponentType | null = null;
  const open = async () => {
    const component = await loadPart(() => withTexts(load(), texts));
    opened = component;
    return { default: component };
  };
  /** React keeps a failure, so the next visit gets a new one. */
  const later = () =>
    lazy(() =>
      open().catch((error: unknown) => {
        retryOnceShown(() => (Later = later()));
        throw error;
      }),
    );
  let Later = later();
  function Shown() {
    // Decided once: rendering another component here would lose the page's state.
    const [Component] = useState<ComponentType>(() => opened ?? Later);
    return <Component />;
  }
  return Object.assign(Shown, { open });
}

/** A page that lists phone numbers. The numbering plans come with it, so that no number changes its format while it is read. */
function listPage(texts: Namespace, load: () => Promise<ComponentType>): Page {
  return page(texts, async () => {
    const [component] = await Promise.all([load(), numberLibrary.load().catch(() => undefined)]);
    return component;
  });
}

const LoginPage = page("auth", async () => (await import("../features/auth/login-page.tsx")).LoginPage);
const RegisterPage = page("auth", async () => (await import("../features/auth/register-page.tsx")).RegisterPage);
const GoogleCallbackPage = page(
  "auth",
  async () => (await import("../features/auth/google-callback-page.tsx")).GoogleCallbackPage,
);
const ForgotPasswordPage = page("auth", async () => (await import("../features/auth/password-pages.tsx")).ForgotPasswordPage);
const ResetPasswordPage = page("auth", async () => (await import("../features/auth/password-pages.tsx")).ResetPasswordPage);
const VerifyEmailPage = page("auth", async () => (await import("../features/auth/mail-link-pages.tsx")).VerifyEmailPage);
const ChangeEmailPage = page("auth", async () => (await import("../features/auth/mail-link-pages.tsx")).ChangeEmailPage);
const NewsletterConfirmPage = page(
  "auth",
  async () => (await import("../features/auth/mail-link-pages.tsx")).NewsletterConfirmPage,
);
const NewsletterUnsubscribePage = page(
  "auth",
  async () => (await import("../features/auth/mail-link-pages.tsx")).NewsletterUnsubscribePage,
);
const DashboardPage = listPage("dashboard", async () => {
  // The favourites come first: later they would push the rest down.
  const favorites = prefetch(() => [queryClient.prefetchQuery(favoritesQuery)]);
  const [{ DashboardPage: Dashboard }] = await Promise.all([import("../features/dashboard/dashboard-page.tsx"), favorites]);
  return Dashboard;
});
const ContactsPage = listPage(
  "contacts",
  async () => (await withTexts(import("../features/contacts/contacts-page.tsx"), "places")).ContactsPage,
);
const DialerPage = page("dialer", async () => {
  const [{ DialerPage: Dialer }] = await Promise.all([import("../features/dialer/dialer-page.tsx"), prefetchDialer()]);
  return Dialer;
});
const HistoryPage = listPage("history", async () => (await import("../features/history/history-page.tsx")).HistoryPage);
const CallPage = listPage("history", async () => (await import("../features/history/call/call-page.tsx")).CallPage);
const TopUpPage = page("billing", async () => (await import("../features/billing/top-up/top-up-page.tsx")).TopUpPage);
const BillingPage = page("billing", async () => (await import("../features/billing/billing-page.tsx")).BillingPage);
const ReceiptPage = page("billing", async () => (await import("../features/billing/documents/receipt-page.tsx")).ReceiptPage);
const SuccessPage = page(
  "billing",
  async () => (await import("../features/billing/top-up/payment-outcome-pages.tsx")).PaymentSuccessPage,
);
const CancelPage = page(
  "billing",
  async () => (await import("../features/billing/top-up/payment-outcome-pages.tsx")).PaymentCancelPage,
);
const CreditPage = page(
  "billing",
  async () => (await withTexts(import("../features/billing/gifts/credit-page.tsx"), "auth")).CreditPage,
);
const CasesPage = listPage("cases", async () => (await import("../features/cases/cases-page.tsx")).CasesPage);
const AskPage = page("cases", async () => (await import("../features/cases/ask-page.tsx")).AskPage);
const RatesPage = page("rates", async () => (await import("../features/rates/app-rates-page.tsx")).AppRatesPage);
const AccountPage = listPage("account", async () => (await import("../features/account/account-page.tsx")).AccountPage);
const FamilyPage = listPage("account", async () => (await import("../features/account/family/family-page.tsx")).FamilyPage);
const JoinPage = page(
  "account",
  async () => (await withTexts(import("../features/account/family/join-page.tsx"), "auth", "billing")).JoinPage,
);
/** The privacy page's texts list what stays after an erasure. */
const ErasePage = page(
  "account",
  async () => (await withTexts(import("../features/account/leaving/erase-page.tsx"), "company")).ErasePage,
);
const ExportPage = page("account", async () => (await import("../features/account/leaving/export-page.tsx")).ExportPage);
const GoogleLinkPage = page(
  "account",
  async () => (await import("../features/account/sign-in-methods/google-link-page.tsx")).GoogleLinkPage,
);

/** Loads a page that the service has sent drawn, with what is said above it, while the app starts. */
export async function openFirstPage(path: string): Promise<void> {
  await Promise.all([firstPages[path]?.open(), openNotices(path)]);
}

const firstPages: Partial<Record<string, Page>> = {
  [dialerPath]: DialerPage,
  "/history": HistoryPage,
  "/contacts": ContactsPage,
  "/topup": TopUpPage,
  "/login": LoginPage,
  "/register": RegisterPage,
};

type Pages<Readers extends keyof typeof appPaths> = Record<(typeof appPaths)[Readers][number], ComponentType>;

const visitorPages: Pages<"visitor"> = {
  "/login": LoginPage,
  "/register": RegisterPage,
  [googleReturnPaths.signIn]: GoogleCallbackPage,
};

const anyonesPages: Pages<"anyone"> = {
  [forgotPasswordPath]: ForgotPasswordPage,
  [mailLinkPaths.resetPassword]: ResetPasswordPage,
  [mailLinkPaths.verifyEmail]: VerifyEmailPage,
  [mailLinkPaths.changeEmail]: ChangeEmailPage,
  [mailLinkPaths.newsletterConfirm]: NewsletterConfirmPage,
  [mailLinkPaths.newsletterUnsubscribe]: NewsletterUnsubscribePage,
  [`${mailLinkPaths.creditRequest}/*` as const]: CreditPage,
  [mailLinkPaths.family]: JoinPage,
};

const signedInPages: Pages<"signedIn"> = {
  "/dashboard": DashboardPage,
  "/dialer": DialerPage,
  "/contacts": ContactsPage,
  "/history": HistoryPage,
  "/call/:id": CallPage,
  "/topup": TopUpPage,
  "/billing": BillingPage,
  "/billing/success": SuccessPage,
  "/billing/receipts/:id": ReceiptPage,
  "/billing/cancel": CancelPage,
  "/cases": CasesPage,
  "/cases/new": AskPage,
  "/account": AccountPage,
  "/family": FamilyPage,
  "/account/erase": ErasePage,
  [mailLinkPaths.exportReady]: ExportPage,
  [googleReturnPaths.link]: GoogleLinkPage,
  "/rates": RatesPage,
};

function routesOf(pages: Readonly<Record<string, ComponentType>>): RouteObject[] {
  return Object.entries(pages).map(([path, Component]) => ({ path, Component }));
}

export const routes: RouteObject[] = [
  {
    Component: Root,
    children: [
      { index: true, path: "/", Component: Home },
      { Component: VisitorLayout, children: routesOf(visitorPages) },
      { Component: AnyoneLayout, children: routesOf(anyonesPages) },
      { Component: SignedInLayout, children: routesOf(signedInPages) },
      { path: "*", Component: NotFoundPage },
    ],
  },
];
