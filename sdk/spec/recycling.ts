/** Maximum number of pods of a service that may be recycled within an hour. The service's status lists them. */
export const maxRecycledPods = 60;
