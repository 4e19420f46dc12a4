import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";

/**
 * A key that opens something under the bar. What is open belongs to the page it was opened on: every way to another page
 * closes it, and so do Escape, which gives the focus back to the key, and a press outside of `region`.
 */
export function useDisclosure() {
  const { pathname } = useLocation();
  const [openOn, setOpenOn] = useState<string | null>(null);
  const key = useRef<HTMLButtonElement>(null);
  const region = useRef<HTMLDivElement>(null);
  const open = openOn === pathname;
  useEffect(() => {
    if (!open) return undefined;
    const escape = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      setOpenOn(null);
      key.current?.focus();
    };
    const outside = (event: PointerEvent) => {
      const inside = [key, region].some(({ current }) => current?.contains(event.target as Node));
      if (!inside) setOpenOn(null);
    };
    document.addEventListener("keydown", escape);
    document.addEventListener("pointerdown", outside);
    return () => {
      document.removeEventListener("keydown", escape);
      document.removeEventListener("pointerdown", outside);
    };
  }, [open]);
  return { open, key, region, toggle: () => setOpenOn(open ? null : pathname) };
}
