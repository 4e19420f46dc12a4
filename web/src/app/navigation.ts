import { IconDialpadFilled, IconHistory, IconWallet } from "@tabler/icons-react";
import type { ComponentType } from "react";

interface NavigationItem {
  readonly to: string;
  readonly label: "nav.dialer" | "nav.history" | "nav.topUp";
  readonly icon: ComponentType;
  /** Place in the tab bar of a phone, from the left; the dialer's raised key stands in the middle. */
  readonly tab: number;
}

/** The pages of the bar, the menu and the tab bar, in the order of the bar. */
export const navigation: readonly NavigationItem[] = [
  { to: "/dialer", label: "nav.dialer", icon: IconDialpadFilled, tab: 2 },
  { to: "/history", label: "nav.history", icon: IconHistory, tab: 1 },
  { to: "/topup", label: "nav.topUp", icon: IconWallet, tab: 3 },
];

export const tabs: readonly NavigationItem[] = navigation.toSorted((a, b) => a.tab - b.tab);

/** Where the raised key of the tab bar leads. */
export const dialerPath = "/dialer";
