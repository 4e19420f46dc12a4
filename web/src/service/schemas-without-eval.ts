import { z } from "zod";

// Zod asks at the first schema whether it may compile parsers with `new Function`, which the content security policy
// forbids and reports. This module is imported before any schema is made.
z.config({ jitless: true });
