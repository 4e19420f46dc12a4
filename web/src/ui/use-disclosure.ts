import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";

/**
 * A button that opens a panel. The panel belongs to the page it was opened on: navigation closes it, and so do Escape, which
 * returns focus to the button, and a press outside `region`.
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
  const close = () => setOpenOn(null);
  return { open, key, region, close, toggle: () => (open ? close() : setOpenOn(pathname)) };
}
