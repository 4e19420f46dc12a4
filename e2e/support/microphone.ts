import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the fake microphone plays in every browser test. Far from the test line's 1000 Hz. */
export const MICROPHONE_HERTZ = 740;
export const MICROPHONE_FILE = join(tmpdir(), `farline-microphone-${MICROPHONE_HERTZ}.wav`);
