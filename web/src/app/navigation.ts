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
  /** Place in the tab bar of a phone, from the start of the line; the dialer's raised key stands in the middle. Null: in the menu alone. */
  readonly tab: number | null;
}

/** The pages of the bar, the menu and the tab bar, in the order of the bar. */
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

/** Where the customer's name leads. */
export const accountPath = "/account";

/** Where the raised key of the tab bar leads. */
export const dialerPath = "/dialer";
