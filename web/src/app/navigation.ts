import { dialerPath } from "@farline/contract/constants.ts";
import {
  IconAddressBook,
  IconDialpadFilled,
  IconHistory,
  IconLayoutDashboard,
  IconReceipt2,
  IconWallet,
} from "@tabler/icons-react";
import type { ComponentType } from "react";

interface NavigationItem {
  readonly to: string;
  readonly label: "nav.dashboard" | "nav.dialer" | "nav.contacts" | "nav.history" | "nav.topUp" | "nav.rates";
  readonly icon: ComponentType;
  /** Position in a phone's tab bar, from the start; the dialer's raised button is in the middle. Null: only in the menu. */
  readonly tab: number | null;
}

/** The pages in the bar, the menu and the tab bar, in the order of the bar. */
export const navigation: readonly NavigationItem[] = [
  { to: "/dashboard", label: "nav.dashboard", icon: IconLayoutDashboard, tab: 0 },
  { to: dialerPath, label: "nav.dialer", icon: IconDialpadFilled, tab: 2 },
  { to: "/contacts", label: "nav.contacts", icon: IconAddressBook, tab: 1 },
  { to: "/history", label: "nav.history", icon: IconHistory, tab: 3 },
  { to: "/topup", label: "nav.topUp", icon: IconWallet, tab: 4 },
  { to: "/rates", label: "nav.rates", icon: IconReceipt2, tab: null },
];

export const tabs: readonly NavigationItem[] = navigation
  .filter(({ tab }) => tab !== null)
  .toSorted((a, b) => (a.tab ?? 0) - (b.tab ?? 0));

/** Pages that have no tab of their own, by the first part of their address, and the tab that is marked on them. */
const tabOfPage: Record<string, string> = { "/call": "/history", "/rates": dialerPath };

/** Whether a tab of a phone's tab bar is marked on the page at this address. */
export function isTabOf(pathname: string, to: string): boolean {
  const page = pathname.split("/", 2).join("/");
  return (tabOfPage[page] ?? page) === to;
}

/** Target of the customer's name. */
export const accountPath = "/account";
