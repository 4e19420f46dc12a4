/** Country cards per page of the list; fills whole rows at every width. */
export const COUNTRIES_A_PAGE = 24;
