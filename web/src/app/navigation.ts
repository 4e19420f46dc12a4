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
  { to: "/dialer", label: "nav.dialer", icon: IconDialpadFilled, tab: 2 },
  { to: "/contacts", label: "nav.contacts", icon: IconAddressBook, tab: 1 },
  { to: "/history", label: "nav.history", icon: IconHistory, tab: 3 },
  { to: "/topup", label: "nav.topUp", icon: IconWallet, tab: 4 },
  { to: "/rates", label: "nav.rates", icon: IconReceipt2, tab: null },
];

export const tabs: readonly NavigationItem[] = navigation
  .filter(({ tab }) => tab !== null)
  .toSorted((a, b) => (a.tab ?? 0) - (b.tab ?? 0));

/** Target of the customer's name. */
export const accountPath = "/account";
