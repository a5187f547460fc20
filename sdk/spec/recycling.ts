/** Most pods of one service that may be recycled in an hour: its status lists them. */
export const maxRecycledPods = 60;
