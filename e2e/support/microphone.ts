import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the fake microphone plays in every browser test. Far from 1000 Hz, which the test line plays. */
export const MICROPHONE_HERTZ = 740;
export const MICROPHONE_FILE = join(tmpdir(), `farline-microphone-${MICROPHONE_HERTZ}.wav`);
