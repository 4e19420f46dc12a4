/** The release under development: raised after each release (see CONTRIBUTING.md). */
export const RELEASE = 1;
