import "@testing-library/jest-dom/vitest";
import { configure } from "@testing-library/react";

// Conditions are met within milliseconds; only a busy machine needs longer.
configure({ asyncUtilTimeout: 10_000 });
