/** Country cards on one page of the list: whole rows at every width. */
export const COUNTRIES_A_PAGE = 24;
