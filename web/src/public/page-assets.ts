import { files } from "virtual:page-assets";
import icon from "../assets/mark-yellow.svg";
import type { PageAssets } from "./document.tsx";

/** The files of the browser's build that every public page refers to. */
export const pageAssets: PageAssets = { ...files, icon };
