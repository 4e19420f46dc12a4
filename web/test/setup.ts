import "@testing-library/jest-dom/vitest";
import { configure } from "@testing-library/react";

// What a test waits for comes in milliseconds; only a busy machine needs longer.
configure({ asyncUtilTimeout: 10_000 });
